// SPDX-License-Identifier: MIT
#include <ggml-backend.h>
#include <llama.h>

#include <exception>
#include <string>

#include <fmt/format.h>

#include "write_model.h"

namespace hotdesk::mkmodel {
namespace {

// libllama reports on every tensor; only the last line of trouble is kept, for the message.
void keep_last_error(ggml_log_level level, const char* text, void* last) {
    if (level == GGML_LOG_LEVEL_ERROR) *static_cast<std::string*>(last) = text;
}

llama_ftype file_type(Quant quant) {
    switch (quant) {
        case Quant::kF32: return LLAMA_FTYPE_ALL_F32;
        case Quant::kF16: return LLAMA_FTYPE_MOSTLY_F16;
        case Quant::kQ8_0: return LLAMA_FTYPE_MOSTLY_Q8_0;
        case Quant::kQ4_0: return LLAMA_FTYPE_MOSTLY_Q4_0;
        case Quant::kQ2K: return LLAMA_FTYPE_MOSTLY_Q2_K;
        case Quant::kQ3KM: return LLAMA_FTYPE_MOSTLY_Q3_K_M;
        case Quant::kQ4KM: return LLAMA_FTYPE_MOSTLY_Q4_K_M;
        case Quant::kQ5KM: return LLAMA_FTYPE_MOSTLY_Q5_K_M;
        case Quant::kQ6K: return LLAMA_FTYPE_MOSTLY_Q6_K;
    }
    return LLAMA_FTYPE_MOSTLY_F16;
}

}  // namespace

Status quantize_file(const std::string& from, const std::string& to, Quant quant) {
    std::string last = "no reason given";
    llama_log_set(keep_last_error, &last);
    llama_model_quantize_params params = llama_model_quantize_default_params();
    params.ftype = file_type(quant);
    params.allow_requantize = true;  // models that come as Q8_0 lose next to nothing by it
    params.nthread = 0;  // all cores: rows are independent, the result does not depend on it
    uint32_t status = 1;
    try {
        status = llama_model_quantize(from.c_str(), to.c_str(), &params);
    } catch (const std::exception& e) {
        last = e.what();
    }
    llama_log_set(nullptr, nullptr);
    if (status != 0)
        return fail(Code::kInternal,
                    fmt::format("{}: libllama did not quantize it: {}", from, last));
    return {};
}

}  // namespace hotdesk::mkmodel
