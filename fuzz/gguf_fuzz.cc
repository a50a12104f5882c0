// SPDX-License-Identifier: MIT
// Model files come from strangers: no bytes may crash the header reader or the planner, make them
// take long, or make them ask for bytes beyond the file.
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "base/check.h"
#include "core/gguf.h"
#include "core/planner.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace hotdesk;
    // The first byte says how much larger the file is than what was read of it.
    const size_t more = size == 0 ? 0 : data[0] * 4096UL;
    const auto bytes = std::as_bytes(std::span(data, size)).subspan(size == 0 ? 0 : 1);
    const auto read = read_gguf({bytes, {static_cast<int64_t>(bytes.size() + more)}});
    if (!read) return 0;
    if (const auto* need = std::get_if<NeedMoreBytes>(&*read)) {
        HD_CHECK(need->bytes.value > static_cast<int64_t>(bytes.size()));
        HD_CHECK(need->bytes.value <= static_cast<int64_t>(bytes.size() + more));
        return 0;
    }
    const auto& header = std::get<ModelHeader>(*read);
    for (const Placement placement : {Placement::kDesk, Placement::kHost}) {
        const auto plan = plan_memory(header, {.placement = placement,
                                               .context = {1 << 28},
                                               .sequences = 256,
                                               .kv = KvStorage::kQ8_0,
                                               .ubatch = 1 << 16});
        if (plan) HD_CHECK(plan->device.sum().value >= 0 && plan->host.sum().value >= 0);
    }
    return 0;
}
