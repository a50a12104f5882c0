// SPDX-License-Identifier: MIT
// Any bytes as the body of a request: read or refused with an error that can be written, and what
// was read is a frame that a worker can read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "wire/frames.h"
#include "wire/openai.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace hotdesk::wire;
    const std::string_view body(reinterpret_cast<const char*>(bytes), size);
    for (const CallKind kind : {CallKind::kChat, CallKind::kCompletion, CallKind::kEmbedding}) {
        auto call = decode_call(kind, body);
        if (!call) {
            HD_CHECK(call.error().status == 400 && !to_text(error_json(call.error())).empty());
            continue;
        }
        const Generate frame{1, kind, call->model, std::move(call->body)};
        HD_CHECK(decode_to_worker(encode(ToWorker(frame))).has_value());
    }
    return 0;
}
