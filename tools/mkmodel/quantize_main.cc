// SPDX-License-Identifier: MIT
// hotdesk-quantize: another quantization of a GGUF model that is here, on this machine.
#include <fmt/format.h>

#include "write_model.h"

namespace {

constexpr int kExitUsage = 64, kExitFailed = 70;
constexpr const char* kUsage =
    "usage: hotdesk-quantize IN.gguf OUT.gguf F16|Q8_0|Q6_K|Q5_K_M|Q4_K_M|Q3_K_M|Q2_K|Q4_0\n";

}  // namespace

int main(int argc, char** argv) {
    using namespace hotdesk;
    if (argc != 4) {
        fmt::print(stderr, "{}", kUsage);
        return kExitUsage;
    }
    const Result<mkmodel::Quant> quant = mkmodel::parse_quant(argv[3]);
    if (!quant) {
        fmt::print(stderr, "hotdesk-quantize: {}\n{}", quant.error().message, kUsage);
        return kExitUsage;
    }
    if (const Status done = mkmodel::quantize_file(argv[1], argv[2], *quant); !done) {
        fmt::print(stderr, "hotdesk-quantize: {}\n", done.error().message);
        return kExitFailed;
    }
    return 0;
}
