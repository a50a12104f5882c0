// SPDX-License-Identifier: MIT
// Where the bytes go, for the pool and the graph that the worker asks for (one KV pool for all
// sequences, full-size windows, flash attention, one output for each sequence):
//
//   weights   each tensor padded to its buffer's alignment. On the device: all but the token
//             embedding, which llama.cpp always keeps in RAM; an output tied to it is a copy.
//   KV        for each layer, a row of K and one of V for each cell.
//   compute   the graph's buffer is reused from layer to layer, so its peak is one of a few
//   moments:
//             the feed-forward (gate, up and their product beside three rows of the embedding), or
//             the logits. All are float32, for `ubatch` tokens.
#include "core/planner.h"

#include <fmt/format.h>

#include <algorithm>

namespace hotdesk {
namespace {

constexpr int64_t kCellPad = 256;  // llama.cpp rounds the pool up to this
constexpr int64_t kHostAlignment = 32;
constexpr int64_t kDeviceAlignment = 128;  // CUDA's; others have less
constexpr int64_t kFloat = 4;
constexpr int64_t kContextMax = 1 << 28;
constexpr int64_t kSequencesMax = 256;  // of llama.cpp
constexpr int64_t kUbatchMax = 1 << 16;
// Rows wider than any model's, yet so narrow that no product below comes near 64 bits.
constexpr int64_t kRowMax = 1 << 20;

// The formula was -17 to +6.5 % off over 87 configurations of 15 models: 15 % on top keeps it from
// being more than 5 % short.
constexpr int64_t kGuardPercent = 15;

int64_t pad(int64_t value, int64_t to) {
    return (value + to - 1) / to * to;
}
int64_t guarded(int64_t bytes) {
    return bytes + bytes / 100 * kGuardPercent;
}

int64_t largest(const std::vector<int64_t>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// The model's shape with the needs applied: what the formulas are written in.
struct Sizes {
    const ModelHeader& model;
    int64_t cells = 0;
    int64_t sequences = 0;
    int64_t ubatch = 0;
    KvStorage kv = KvStorage::kF16;

    int64_t embd_rows() const { return model.embd * ubatch * kFloat; }
    // Who may see whom: f16, cells x ubatch; another one for the layers with a window.
    int64_t masks() const { return 2 * cells * ubatch * (model.window > 0 ? 2 : 1); }
    // Token ids, positions and KV indices of a batch.
    int64_t batch_inputs() const { return ubatch * 24 + 32; }
    int64_t logits() const { return model.vocab_size * sequences * kFloat; }
};

bool is_input_tensor(const TensorInfo& tensor) {
    return tensor.name.starts_with("token_embd") ||
           tensor.name.starts_with("per_layer_token_embd") ||
           tensor.name.starts_with("position_embd") || tensor.name.starts_with("token_types");
}

bool has_tensor(const ModelHeader& header, std::string_view name) {
    return std::any_of(header.tensors.begin(), header.tensors.end(),
                       [&](const TensorInfo& tensor) { return tensor.name == name; });
}

void add_weights(const ModelHeader& header, Placement placement, MemoryPlan& plan) {
    const bool is_tied = !has_tensor(header, "output.weight");
    for (const TensorInfo& tensor : header.tensors) {
        const Bytes on_host{pad(tensor.size.value, kHostAlignment)};
        const Bytes on_device{pad(tensor.size.value, kDeviceAlignment)};
        const bool is_input = is_input_tensor(tensor);
        if (placement == Placement::kHost || is_input) plan.host.weights += on_host;
        if (placement == Placement::kHost) continue;
        if (!is_input || (is_tied && tensor.name == "token_embd.weight"))
            plan.device.weights += on_device;
    }
}

int64_t kv_row_bytes(KvStorage kv, int64_t elements) {
    return kv == KvStorage::kF16 ? elements * 2 : elements / 32 * 34;
}

bool is_recurrent(const ModelHeader& m) {
    return m.ssm_inner > 0;
}

// A layer without KV heads is recurrent. Where every layer has some, the file does not say which
// are: then each counts as both, which is too much but safe.
int64_t kv_bytes(const Sizes& s) {
    const ModelHeader& m = s.model;
    const bool knows_its_layers =
        std::find(m.heads_kv.begin(), m.heads_kv.end(), 0) != m.heads_kv.end();
    const int64_t state = ((m.ssm_conv - 1) * (m.ssm_inner + 2 * m.ssm_groups * m.ssm_state) +
                           m.ssm_inner * m.ssm_state) *
                          kFloat * s.sequences;
    int64_t bytes = 0;
    for (const int64_t heads : m.heads_kv) {
        bytes += s.cells * (kv_row_bytes(s.kv, heads * m.key_length) +
                            kv_row_bytes(s.kv, heads * m.value_length));
        if (is_recurrent(m) && (heads == 0 || !knows_its_layers)) bytes += state;
    }
    return bytes;
}

// The largest moment of the graph that holds the layers and the output.
int64_t graph_bytes(const Sizes& s) {
    const ModelHeader& m = s.model;
    const int64_t width = std::max(m.embd, largest(m.heads) * m.key_length);
    const int64_t experts = std::max<int64_t>(m.experts_used, 1);
    const int64_t feed_forward =
        3 * (largest(m.ff) * experts + width) * s.ubatch * kFloat + s.masks();
    // Six rows of the inner width are alive in a recurrent layer, beside the states of all
    // sequences.
    const int64_t recurrent =
        is_recurrent(m)
            ? (6 * m.ssm_inner * s.ubatch + m.ssm_inner * m.ssm_state * s.sequences) * kFloat
            : 0;
    return std::max({s.logits() + s.embd_rows(), feed_forward, recurrent});
}

void add_compute(const Sizes& s, Placement placement, MemoryPlan& plan) {
    // The logits come to the host, wherever they are made.
    const int64_t output = s.logits();
    if (placement == Placement::kHost) {
        plan.host.compute = {guarded(graph_bytes(s) + s.embd_rows() + s.batch_inputs()) + output};
        return;
    }
    plan.device.compute = {guarded(graph_bytes(s))};
    // What the host prepares for the device: the looked-up embedding, twice, and the inputs.
    plan.host.compute = {guarded(2 * s.embd_rows() + s.masks() + s.batch_inputs()) + output};
}

Status check_needs(const MemoryNeeds& needs) {
    if (needs.context.value < 1 || needs.context.value > kContextMax)
        return fail(Code::kInvalid, fmt::format("a context of {} tokens; 1 to {} are possible",
                                                needs.context.value, kContextMax));
    if (needs.sequences < 1 || needs.sequences > kSequencesMax)
        return fail(Code::kInvalid, fmt::format("{} sequences in one pool; 1 to {} are possible",
                                                needs.sequences, kSequencesMax));
    if (needs.ubatch < 1 || needs.ubatch > kUbatchMax)
        return fail(Code::kInvalid, fmt::format("{} tokens computed at once; 1 to {} are possible",
                                                needs.ubatch, kUbatchMax));
    return {};
}

Status check_model(const ModelHeader& m, KvStorage kv) {
    if (m.layers == 0 || m.embd == 0 || m.tensors.empty())
        return fail(Code::kInvalid,
                    fmt::format("a {} file of {} layers and {} tensors is no language "
                                "model",
                                m.architecture, m.layers, m.tensors.size()));
    const int64_t head = std::max(m.key_length, m.value_length);
    const int64_t widest =
        std::max({largest(m.heads) * head, largest(m.heads_kv) * head, m.embd,
                  largest(m.ff) * std::max<int64_t>(m.experts_used, 1), m.ssm_inner,
                  2 * m.ssm_groups * m.ssm_state, m.ssm_state, m.ssm_conv});
    if (widest > kRowMax)
        return fail(Code::kInvalid,
                    fmt::format("rows of {} numbers; at most {} are believed", widest, kRowMax));
    if (largest(m.heads_kv) == 0 && !is_recurrent(m))
        return fail(Code::kInvalid,
                    fmt::format("{} keeps neither KV nor a known kind of state; what "
                                "its context takes is not known",
                                m.architecture));
    if (kv == KvStorage::kQ8_0 && (m.key_length % 32 != 0 || m.value_length % 32 != 0))
        return fail(Code::kInvalid,
                    fmt::format("q8_0 KV needs heads of a multiple of 32; these have {} "
                                "and {}",
                                m.key_length, m.value_length));
    return {};
}

}  // namespace

Result<KvStorage> parse_kv_storage(std::string_view text) {
    if (text == "f16") return KvStorage::kF16;
    if (text == "q8_0") return KvStorage::kQ8_0;
    return fail(Code::kInvalid,
                fmt::format("unknown KV type \"{}\"; known are f16 and q8_0", text));
}

Result<MemoryPlan> plan_memory(const ModelHeader& header, const MemoryNeeds& needs) {
    HD_TRY_VOID(check_needs(needs));
    HD_TRY_VOID(check_model(header, needs.kv));
    const int64_t cells = pad(needs.context.value, kCellPad);
    const int sequences =
        is_recurrent(header) ? std::min(needs.sequences, kRecurrentContextsMax) : needs.sequences;
    const Sizes sizes{.model = header,
                      .cells = cells,
                      .sequences = sequences,
                      .ubatch = std::min<int64_t>(needs.ubatch, cells),
                      .kv = needs.kv};
    MemoryPlan plan;
    add_weights(header, needs.placement, plan);
    MemoryParts& home = needs.placement == Placement::kDesk ? plan.device : plan.host;
    home.kv = {kv_bytes(sizes)};
    add_compute(sizes, needs.placement, plan);
    return plan;
}

}  // namespace hotdesk
