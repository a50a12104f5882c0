// SPDX-License-Identifier: MIT
#include "recipe.h"

#include <ggml.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace hotdesk::mkmodel {
namespace {

constexpr int64_t kAlignment = 32;  // GGUF's default; each tensor starts on a multiple of it
constexpr int64_t kMambaConv = 4;   // as in every published mamba
constexpr int64_t kMambaState = 16;

// The embedding must neither drown in what the layers add (each adds about 1: text loops on one
// word) nor drown them (text depends on one word only).
constexpr float kEmbdDeviation = 0.5F;
// gemma2's output is its embedding: a large one would make each token repeat itself for ever.
constexpr float kTiedDeviation = 0.01F;

struct QuantRow {
    Quant quant;
    std::string_view name;
    double bits;  // per weight; K-quants: measured on llama shapes of 256 to 1024 columns
};
constexpr QuantRow kQuants[] = {
    {Quant::kF32, "F32", 32},      {Quant::kF16, "F16", 16},      {Quant::kQ8_0, "Q8_0", 8.5},
    {Quant::kQ4_0, "Q4_0", 4.5},   {Quant::kQ2K, "Q2_K", 3.2},    {Quant::kQ3KM, "Q3_K_M", 4.0},
    {Quant::kQ4KM, "Q4_K_M", 4.9}, {Quant::kQ5KM, "Q5_K_M", 5.7}, {Quant::kQ6K, "Q6_K", 6.6},
};

struct ArchitectureRow {
    Architecture architecture;
    std::string_view name;
};
constexpr ArchitectureRow kArchitectures[] = {
    {Architecture::kLlama, "llama"}, {Architecture::kQwen2, "qwen2"},
    {Architecture::kQwen3, "qwen3"}, {Architecture::kGemma2, "gemma2"},
    {Architecture::kMamba, "mamba"},
};

float over_root(double gain, int64_t inputs) {
    return static_cast<float>(gain / std::sqrt(static_cast<double>(inputs)));
}

int64_t mamba_inner(const Shape& s) {
    return 2 * s.embd;
}
int64_t mamba_rank(const Shape& s) {
    return std::max<int64_t>(s.embd / 16, 1);
}

// Collects the tensors of one model; `prefix` is "" or "blk.3.".
struct Collector {
    std::vector<TensorPlan> tensors;
    std::string prefix;

    void matrix(std::string_view name, int64_t in, int64_t out, double gain) {
        tensors.push_back({.name = fmt::format("{}{}.weight", prefix, name),
                           .dims = {in, out},
                           .value = over_root(gain, in)});
    }
    void vector(std::string_view name, int64_t size, float value) {
        tensors.push_back({.name = fmt::format("{}{}", prefix, name),
                           .dims = {size, 1},
                           .fill = Fill::kConstant,
                           .value = value,
                           .is_f32 = true});
    }
    void small(std::string_view name, int64_t in, int64_t out, float deviation) {
        tensors.push_back({.name = fmt::format("{}{}", prefix, name),
                           .dims = {in, out},
                           .value = deviation,
                           .is_f32 = true});
    }
    void token_rows(std::string_view name, int64_t embd, int64_t vocab, float deviation) {
        tensors.push_back({.name = std::string(name),
                           .dims = {embd, vocab},
                           .value = deviation,
                           .has_quiet_rows = true});
    }
};

// The gains make greedy text depend on the context instead of looping on one token: with q and k
// at 2 and v and o at 1.5, 31 of 32 greedy tokens were distinct on a 15M model.
void add_attention(Collector& c, const Shape& s) {
    const int64_t head = s.embd / s.heads;
    const int64_t kv = head * s.heads_kv;
    c.vector("attn_norm.weight", s.embd, 1);
    c.matrix("attn_q", s.embd, s.embd, 2);
    c.matrix("attn_k", s.embd, kv, 2);
    c.matrix("attn_v", s.embd, kv, 1.5);
    c.matrix("attn_output", s.embd, s.embd, 1.5);
    if (s.architecture == Architecture::kQwen2) {
        c.small("attn_q.bias", s.embd, 1, 0.02F);
        c.small("attn_k.bias", kv, 1, 0.02F);
        c.small("attn_v.bias", kv, 1, 0.02F);
    }
    if (s.architecture == Architecture::kQwen3) {
        c.vector("attn_q_norm.weight", head, 2);  // at 1 attention is so flat that text loops
        c.vector("attn_k_norm.weight", head, 1);
    }
    if (s.architecture == Architecture::kGemma2) c.vector("post_attention_norm.weight", s.embd, 1);
}

void add_feed_forward(Collector& c, const Shape& s) {
    c.vector("ffn_norm.weight", s.embd, 1);
    c.matrix("ffn_gate", s.embd, s.ff, 1);
    c.matrix("ffn_up", s.embd, s.ff, 1);
    c.matrix("ffn_down", s.ff, s.embd, 1);
    if (s.architecture == Architecture::kGemma2) c.vector("post_ffw_norm.weight", s.embd, 1);
}

void add_mamba(Collector& c, const Shape& s) {
    const int64_t inner = mamba_inner(s);
    const int64_t rank = mamba_rank(s);
    c.vector("attn_norm.weight", s.embd, 1);
    c.matrix("ssm_in", s.embd, 2 * inner, 1);
    c.small("ssm_conv1d.weight", kMambaConv, inner, 0.5F);
    c.vector("ssm_conv1d.bias", inner, 0);
    c.matrix("ssm_x", inner, rank + 2 * kMambaState, 1);
    c.small("ssm_dt.weight", rank, inner, over_root(1, rank));
    c.vector("ssm_dt.bias", inner, -4.6F);  // softplus(-4.6) = 0.01, where training starts too
    c.tensors.push_back({.name = c.prefix + "ssm_a",
                         .dims = {kMambaState, inner},
                         .fill = Fill::kDecay,
                         .is_f32 = true});
    c.vector("ssm_d", inner, 1);
    c.matrix("ssm_out", inner, s.embd, 1);
}

int64_t tensor_bytes(const TensorPlan& tensor, Quant quant) {
    int64_t bytes = 0;
    if (is_k_quant(quant) && !tensor.is_f32) {
        const auto* row = std::find_if(std::begin(kQuants), std::end(kQuants),
                                       [&](const QuantRow& r) { return r.quant == quant; });
        bytes = static_cast<int64_t>(static_cast<double>(tensor.dims[0] * tensor.dims[1]) *
                                     row->bits / 8);
    } else {
        bytes = static_cast<int64_t>(ggml_row_size(storage_of(tensor, quant), tensor.dims[0])) *
                tensor.dims[1];
    }
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t bytes_of(const Shape& shape, const SizeGoal& goal) {
    return weight_bytes(tensors_of(shape, goal.vocab_size), goal.quant).value;
}

// The shape of one width that comes nearest to the goal: layers first, then ff for the rest.
Shape fill_width(Shape shape, const SizeGoal& goal) {
    shape.heads = std::max<int64_t>(shape.embd / 64, 1);
    shape.heads_kv = std::max<int64_t>(shape.heads / 4, 1);
    while (shape.heads % shape.heads_kv != 0) --shape.heads_kv;
    shape.ff = shape.embd * 3;
    shape.layers = 1;
    const int64_t one = bytes_of(shape, goal);
    shape.layers = 2;
    const int64_t per_layer = bytes_of(shape, goal) - one;
    shape.layers =
        std::clamp<int64_t>(1 + (goal.bytes.value - one + per_layer / 2) / per_layer, 1, 64);
    if (shape.architecture == Architecture::kMamba) return shape;
    const int64_t step = is_k_quant(goal.quant) ? 256 : 32;
    const int64_t before = bytes_of(shape, goal);
    shape.ff += step;
    const int64_t per_step = bytes_of(shape, goal) - before;
    const int64_t steps = (goal.bytes.value - before) / per_step;
    shape.ff = std::max(step, shape.ff - step + steps * step);
    return shape;
}

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

template <class Rows>
std::string names_of(const Rows& rows) {
    std::string out;
    for (const auto& row : rows) out += fmt::format("{}{}", out.empty() ? "" : ", ", row.name);
    return out;
}

}  // namespace

std::string_view to_string(Architecture architecture) {
    for (const ArchitectureRow& row : kArchitectures)
        if (row.architecture == architecture) return row.name;
    return "?";
}

Result<Architecture> parse_architecture(std::string_view name) {
    for (const ArchitectureRow& row : kArchitectures)
        if (row.name == name) return row.architecture;
    return fail(Code::kInvalid, fmt::format("unknown architecture \"{}\"; known are {}", name,
                                            names_of(kArchitectures)));
}

Result<Quant> parse_quant(std::string_view name) {
    const std::string wanted = upper(name);
    for (const QuantRow& row : kQuants)
        if (row.name == wanted) return row.quant;
    return fail(Code::kInvalid,
                fmt::format("unknown quantization \"{}\"; known are {}", name, names_of(kQuants)));
}

ggml_type storage_of(const TensorPlan& tensor, Quant quant) {
    if (tensor.is_f32) return GGML_TYPE_F32;
    const bool fits_blocks = tensor.dims[0] % 32 == 0;
    switch (quant) {
        case Quant::kF32: return GGML_TYPE_F32;
        case Quant::kQ8_0: return fits_blocks ? GGML_TYPE_Q8_0 : GGML_TYPE_F16;
        case Quant::kQ4_0: return fits_blocks ? GGML_TYPE_Q4_0 : GGML_TYPE_F16;
        case Quant::kF16:
        case Quant::kQ2K:
        case Quant::kQ3KM:
        case Quant::kQ4KM:
        case Quant::kQ5KM:
        case Quant::kQ6K: return GGML_TYPE_F16;
    }
    return GGML_TYPE_F16;
}

bool is_k_quant(Quant quant) {
    return quant >= Quant::kQ2K;
}

Status check_shape(const Shape& s, Quant quant) {
    const int64_t block = is_k_quant(quant) ? 256 : 32;
    if (s.layers < 1 || s.layers > 512)
        return fail(Code::kInvalid, fmt::format("{} layers; llama.cpp takes 1 to 512", s.layers));
    if (s.embd < block || s.embd > 16384 || s.embd % block != 0)
        return fail(Code::kInvalid, fmt::format("an embedding of {} must be a multiple of {}, at "
                                                "most 16384",
                                                s.embd, block));
    if (s.context < 1 || s.window < 1)
        return fail(Code::kInvalid,
                    fmt::format("context {} and window {} must be positive", s.context, s.window));
    if (s.architecture == Architecture::kMamba) return {};
    if (s.heads < 1 || s.embd % s.heads != 0 || s.embd / s.heads % 2 != 0)
        return fail(Code::kInvalid, fmt::format("{} heads do not divide an embedding of {} into "
                                                "even parts",
                                                s.heads, s.embd));
    if (s.heads_kv < 1 || s.heads % s.heads_kv != 0)
        return fail(Code::kInvalid,
                    fmt::format("{} KV heads do not divide {} heads", s.heads_kv, s.heads));
    if (s.ff < block || s.ff > 65536 || s.ff % block != 0)
        return fail(Code::kInvalid, fmt::format("a feed-forward width of {} must be a multiple of "
                                                "{}, at most 65536",
                                                s.ff, block));
    return {};
}

std::vector<TensorPlan> tensors_of(const Shape& s, int64_t vocab_size) {
    Collector c;
    // Gain 4 makes logits of deviation 4: sampled text is mostly likely words, yet varied.
    const float out_deviation = over_root(4, s.embd);
    const bool is_tied = s.architecture == Architecture::kGemma2;
    c.token_rows("token_embd.weight", s.embd, vocab_size,
                 is_tied ? kTiedDeviation : kEmbdDeviation);
    c.vector("output_norm.weight", s.embd, is_tied ? out_deviation / kTiedDeviation : 1);
    if (!is_tied) c.token_rows("output.weight", s.embd, vocab_size, out_deviation);
    for (int64_t layer = 0; layer < s.layers; ++layer) {
        c.prefix = fmt::format("blk.{}.", layer);
        if (s.architecture == Architecture::kMamba) {
            add_mamba(c, s);
        } else {
            add_attention(c, s);
            add_feed_forward(c, s);
        }
    }
    return std::move(c.tensors);
}

Bytes weight_bytes(const std::vector<TensorPlan>& tensors, Quant quant) {
    Bytes sum;
    for (const TensorPlan& tensor : tensors) sum += {tensor_bytes(tensor, quant)};
    return sum;
}

Result<Shape> shape_for(const Shape& base, const SizeGoal& goal) {
    Shape best = base;
    int64_t best_miss = std::numeric_limits<int64_t>::max();
    int64_t smallest = std::numeric_limits<int64_t>::max();
    const int64_t step = is_k_quant(goal.quant) ? 256 : 64;
    // Wide before deep: 16 layers at most, so that a small model still decodes in few graph nodes.
    for (int64_t embd = step; embd <= 8192; embd += step) {
        Shape shape = base;
        shape.embd = embd;
        shape = fill_width(shape, goal);
        const int64_t bytes = bytes_of(shape, goal);
        smallest = std::min(smallest, bytes);
        if (shape.layers > 16) continue;
        if (shape.layers < 4 && best_miss < goal.bytes.value / 50) break;
        const int64_t miss = std::abs(bytes - goal.bytes.value);
        if (miss < best_miss) {
            best = shape;
            best_miss = miss;
        }
        if (best_miss < goal.bytes.value / 100 && shape.layers >= 4) break;
    }
    if (best_miss > goal.bytes.value / 33)
        return fail(
            Code::kInvalid,
            fmt::format("no {} of {} bytes with a vocabulary of {} tokens (the smallest has "
                        "{}); take a larger --size or --vocab builtin",
                        to_string(base.architecture), goal.bytes.value, goal.vocab_size, smallest));
    return best;
}

}  // namespace hotdesk::mkmodel
