// SPDX-License-Identifier: MIT
// Weights come from splitmix64 used as a counter: value i of a tensor depends on (seed, name, i)
// alone, so tensors can be made in any order and never drift apart when one is added. One 64-bit
// draw gives four weights of 16 bits, uniform: more precision than any storage type here keeps
// apart, and no libm, whose last bit differs between machines.
#include "write_model.h"

#include <ggml.h>
#include <llama.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>

namespace hotdesk::mkmodel {
namespace {

constexpr float kQuietScale = 1.0F / 64;   // quiet tokens keep an embedding but a logit near zero
constexpr int64_t kChunkFloats = 1 << 18;  // 1 MiB of floats at a time, whatever the model's size

uint64_t splitmix64(uint64_t counter) {
    uint64_t z = counter * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

uint64_t fnv1a(std::string_view text) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return hash;
}

// Fills out[0, count) with the values [first, first + count) of a tensor's uniform stream.
// Requires: first and count are multiples of 4, or the tensor ends within count.
void uniform(uint64_t stream, int64_t first, float deviation, std::vector<float>& out) {
    // A uniform value in [-a, a) has the deviation a/sqrt(3).
    const float unit = deviation * 1.7320508F / 32768.0F;
    const auto base = static_cast<uint64_t>(first) / 4;
    for (size_t i = 0; i < out.size(); i += 4) {
        uint64_t bits = splitmix64(stream + base + i / 4);
        for (size_t k = i; k < std::min(i + 4, out.size()); ++k, bits >>= 16)
            out[k] = static_cast<float>(static_cast<int16_t>(bits & 0xFFFF)) * unit;
    }
}

struct FileClose {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileClose>;

struct GgmlFree {
    void operator()(ggml_context* context) const { ggml_free(context); }
};

uint32_t file_type_of(Quant quant) {
    if (quant == Quant::kF32) return LLAMA_FTYPE_ALL_F32;
    if (quant == Quant::kQ8_0) return LLAMA_FTYPE_MOSTLY_Q8_0;
    if (quant == Quant::kQ4_0) return LLAMA_FTYPE_MOSTLY_Q4_0;
    return LLAMA_FTYPE_MOSTLY_F16;
}

// Sets "<architecture>.<key>" values of the header.
struct HeaderKeys {
    gguf_context* keys;
    std::string prefix;

    void set(std::string_view key, int64_t value) const {
        gguf_set_val_u32(keys, fmt::format("{}.{}", prefix, key).c_str(),
                         static_cast<uint32_t>(value));
    }
    void set_float(std::string_view key, float value) const {
        gguf_set_val_f32(keys, fmt::format("{}.{}", prefix, key).c_str(), value);
    }
};

void set_shape_keys(const HeaderKeys& header, const Shape& s, int64_t vocab_size) {
    header.set("context_length", s.context);
    header.set("embedding_length", s.embd);
    header.set("block_count", s.layers);
    header.set("vocab_size", vocab_size);
    header.set_float("attention.layer_norm_rms_epsilon", 1e-5F);
    if (s.architecture == Architecture::kMamba) {
        header.set("feed_forward_length", 0);
        header.set("attention.head_count", 0);
        header.set("ssm.conv_kernel", 4);
        header.set("ssm.inner_size", 2 * s.embd);
        header.set("ssm.state_size", 16);
        header.set("ssm.time_step_rank", std::max<int64_t>(s.embd / 16, 1));
        return;
    }
    header.set("feed_forward_length", s.ff);
    header.set("attention.head_count", s.heads);
    header.set("attention.head_count_kv", s.heads_kv);
    header.set("attention.key_length", s.embd / s.heads);
    header.set("attention.value_length", s.embd / s.heads);
    header.set("rope.dimension_count", s.embd / s.heads);
    header.set_float("rope.freq_base", 10000.0F);
    if (s.architecture == Architecture::kGemma2) {
        header.set("attention.sliding_window", s.window);
        header.set_float("attn_logit_softcapping", 50.0F);
        header.set_float("final_logit_softcapping", 30.0F);
    }
}

GgufPtr make_header(const Order& order, const Vocab& vocab) {
    GgufPtr header(gguf_init_empty());
    const std::string architecture(to_string(order.shape.architecture));
    gguf_set_val_str(header.get(), "general.architecture", architecture.c_str());
    gguf_set_val_str(header.get(), "general.name", order.name.c_str());
    gguf_set_val_str(header.get(), "general.description",
                     "random weights, made by hotdesk-mkmodel");
    gguf_set_val_u32(header.get(), "general.file_type", file_type_of(order.quant));
    const HeaderKeys own{header.get(), architecture};
    set_shape_keys(own, order.shape, vocab.size());
    if (order.pooling != Pooling::kNone)
        own.set("pooling_type", static_cast<int64_t>(order.pooling));
    gguf_set_kv(header.get(), vocab.keys.get());
    if (!order.chat_template.empty())
        gguf_set_val_str(header.get(), "tokenizer.chat_template", order.chat_template.c_str());
    return header;
}

void add_tensor_infos(gguf_context* header, const std::vector<TensorPlan>& plans, Quant quant) {
    const std::unique_ptr<ggml_context, GgmlFree> infos(
        ggml_init({.mem_size = ggml_tensor_overhead() * (plans.size() + 1),
                   .mem_buffer = nullptr,
                   .no_alloc = true}));
    for (const TensorPlan& plan : plans) {
        const ggml_type type = storage_of(plan, quant);
        ggml_tensor* tensor =
            plan.dims[1] == 1 ? ggml_new_tensor_1d(infos.get(), type, plan.dims[0])
                              : ggml_new_tensor_2d(infos.get(), type, plan.dims[0], plan.dims[1]);
        ggml_set_name(tensor, plan.name.c_str());
        gguf_add_tensor(header, tensor);
    }
}

Status write_error(const std::string& path) {
    const int error = errno;
    const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return fail(is_full ? Code::kNoSpace : Code::kDenied,
                fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

// Makes the rows of one tensor, chunk by chunk, and writes them in their storage type.
class TensorWriter {
  public:
    TensorWriter(std::FILE* file, const Order& order, const Vocab& vocab)
        : file_(file), order_(order), vocab_(vocab) {}

    // Returns false when the file system refused, with errno set.
    bool write(const TensorPlan& plan) {
        const ggml_type type = storage_of(plan, order_.quant);
        const int64_t columns = plan.dims[0];
        // A multiple of 4 rows, so that each chunk begins on a whole draw of the generator.
        const int64_t chunk_rows = std::max<int64_t>(kChunkFloats / columns / 4, 1) * 4;
        size_t written = 0;
        for (int64_t row = 0; row < plan.dims[1]; row += chunk_rows) {
            const int64_t rows = std::min(chunk_rows, plan.dims[1] - row);
            values_.resize(static_cast<size_t>(rows * columns));
            fill(plan, row);
            bytes_.resize(ggml_row_size(type, columns) * static_cast<size_t>(rows));
            ggml_quantize_chunk(type, values_.data(), bytes_.data(), 0, rows, columns, nullptr);
            if (std::fwrite(bytes_.data(), 1, bytes_.size(), file_) != bytes_.size()) return false;
            written += bytes_.size();
        }
        const size_t padding = (32 - written % 32) % 32;
        constexpr char zeros[32] = {};
        return std::fwrite(zeros, 1, padding, file_) == padding;
    }

  private:
    void fill(const TensorPlan& plan, int64_t first_row) {
        const auto columns = static_cast<size_t>(plan.dims[0]);
        switch (plan.fill) {
            case Fill::kConstant: values_.assign(values_.size(), plan.value); return;
            case Fill::kDecay:
                for (size_t i = 0; i < values_.size(); ++i)
                    values_[i] = -static_cast<float>(i % columns + 1);
                return;
            case Fill::kUniform: break;
        }
        const uint64_t stream = splitmix64(order_.seed ^ fnv1a(plan.name));
        uniform(stream, first_row * plan.dims[0], plan.value, values_);
        if (!plan.has_quiet_rows) return;
        for (size_t row = 0; row < values_.size() / columns; ++row)
            if (vocab_.quiet[static_cast<size_t>(first_row) + row])
                for (size_t i = row * columns; i < (row + 1) * columns; ++i)
                    values_[i] *= kQuietScale;
    }

    std::FILE* file_;
    const Order& order_;
    const Vocab& vocab_;
    std::vector<float> values_;
    std::vector<uint8_t> bytes_;
};

Status write_file(const std::string& path, const Order& order, const Vocab& vocab) {
    const std::vector<TensorPlan> plans = tensors_of(order.shape, vocab.size());
    const GgufPtr header = make_header(order, vocab);
    add_tensor_infos(header.get(), plans, order.quant);
    std::vector<char> meta(gguf_get_meta_size(header.get()));
    gguf_get_meta_data(header.get(), meta.data());

    FilePtr file(std::fopen(path.c_str(), "wb"));
    if (!file) return write_error(path);
    if (std::fwrite(meta.data(), 1, meta.size(), file.get()) != meta.size())
        return write_error(path);
    TensorWriter writer(file.get(), order, vocab);
    for (const TensorPlan& plan : plans)
        if (!writer.write(plan)) return write_error(path);
    if (std::fclose(file.release()) != 0) return write_error(path);
    return {};
}

// Removes the file at the end unless it was renamed away.
struct TemporaryFile {
    std::string path;
    ~TemporaryFile() { ::unlink(path.c_str()); }
};

Result<Bytes> size_of(const std::string& path) {
    const FilePtr file(std::fopen(path.c_str(), "rb"));
    if (!file || std::fseek(file.get(), 0, SEEK_END) != 0)
        return fail(Code::kInternal, fmt::format("{}: {}", path, std::strerror(errno)));
    return Bytes{std::ftell(file.get())};
}

}  // namespace

const char* chatml_template() {
    return R"({%- if tools %}{{- '<|im_start|>system\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\n\n' }}{%- endif %}
{{- 'You may call tools. Their signatures are within <tools></tools>:\n<tools>' }}
{%- for tool in tools %}{{- '\n' + (tool | tojson) }}{%- endfor %}
{{- '\n</tools>\nFor each call return a JSON object within <tool_call></tool_call>:\n<tool_call>\n{"name": <name>, "arguments": <arguments>}\n</tool_call><|im_end|>\n' }}
{%- elif messages[0].role == 'system' %}{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant' }}
{%- if message.content %}{{- '\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}{{- '\n<tool_call>\n{"name": "' + tool_call.name + '", "arguments": ' + (tool_call.arguments | tojson) + '}\n</tool_call>' }}{%- endfor %}
{{- '<|im_end|>\n' }}
{%- elif message.role == 'tool' %}{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %})";
}

Result<Bytes> write_model(const Order& order, const Vocab& vocab) {
    const TemporaryFile plain{fmt::format("{}.{}.tmp", order.path, ::getpid())};
    HD_TRY_VOID(write_file(plain.path, order, vocab));
    const TemporaryFile quantized{plain.path + ".quant"};
    const bool is_k = is_k_quant(order.quant);
    if (is_k) {
        HD_TRY_VOID(quantize_file(plain.path, quantized.path, order.quant));
    }
    const std::string& finished = is_k ? quantized.path : plain.path;
    if (std::rename(finished.c_str(), order.path.c_str()) != 0)
        return tl::unexpected(write_error(order.path).error());
    return size_of(order.path);
}

}  // namespace hotdesk::mkmodel
