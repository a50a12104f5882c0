// SPDX-License-Identifier: MIT
#pragma once
// What a random-weight model is made of: its architecture's tensors, their sizes and how each is
// filled. Pure arithmetic; write_model.h puts it into a file.

#include <ggml.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk::mkmodel {

// llama, qwen2 and qwen3 attend to everything; gemma2 has a sliding window in every other layer;
// mamba is recurrent: its state has one size whatever the context.
enum class Architecture : uint8_t { kLlama, kQwen2, kQwen3, kGemma2, kMamba };

// The name as llama.cpp writes it in general.architecture.
std::string_view to_string(Architecture architecture);
Result<Architecture> parse_architecture(std::string_view name);

// Storage of the weight matrices; norms and biases are always F32.
enum class Quant : uint8_t { kF32, kF16, kQ8_0, kQ4_0, kQ2K, kQ3KM, kQ4KM, kQ5KM, kQ6K };

Result<Quant> parse_quant(std::string_view name);  // case does not matter: "q4_k_m"
bool is_k_quant(Quant quant);                      // made by libllama of an F16 file

struct Shape {
    Architecture architecture = Architecture::kLlama;
    int64_t layers = 8;
    int64_t embd = 256;  // a multiple of 32; of 256 for K-quants
    int64_t heads = 4;
    int64_t heads_kv = 2;
    int64_t ff = 768;
    int64_t context = 32768;  // trained context; costs nothing
    int64_t window = 1024;    // gemma2's sliding window

    friend bool operator==(const Shape&, const Shape&) = default;
};

// How a tensor's values are made. kDecay is mamba's A: -1, -2, ... -d_state in each row.
enum class Fill : uint8_t { kUniform, kConstant, kDecay };

struct TensorPlan {
    std::string name;
    std::array<int64_t, 2> dims{1, 1};  // columns first, as in ggml; dims[1] == 1 for a vector
    Fill fill = Fill::kUniform;
    float value = 0;              // kUniform: the standard deviation; kConstant: the value
    bool is_f32 = false;          // stays F32 whatever the quantization
    bool has_quiet_rows = false;  // one row per token; quiet tokens' rows are scaled down
};

// Errors: kInvalid when llama.cpp would refuse the shape, naming the number and its bound.
Status check_shape(const Shape& shape, Quant quant);

// Requires: check_shape(shape) passed. Returns the tensors in file order.
std::vector<TensorPlan> tensors_of(const Shape& shape, int64_t vocab_size);

// How the tensor is first written: for a K-quant F16, of which libllama then makes the rest.
ggml_type storage_of(const TensorPlan& tensor, Quant quant);

// Bytes of all tensors, each padded to 32. K-quants: an estimate, 8 % at most off at 256 columns.
Bytes weight_bytes(const std::vector<TensorPlan>& tensors, Quant quant);

struct SizeGoal {
    Bytes bytes;  // of the weights; the vocabulary adds a little
    Quant quant = Quant::kQ8_0;
    int64_t vocab_size = 0;
};

// Chooses embd, heads, layers and ff so that the weights come within 3 % of the goal.
// Errors: kInvalid when the vocabulary alone is larger than the goal, with both sizes.
Result<Shape> shape_for(const Shape& base, const SizeGoal& goal);

}  // namespace hotdesk::mkmodel
