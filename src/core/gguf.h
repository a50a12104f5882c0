// SPDX-License-Identifier: MIT
#pragma once
// Reads the header of a GGUF model: what it is and how large each tensor is, never a weight. Pure:
// the caller reads the file and hands over its first bytes. Files come from strangers, so every
// number is checked against a bound and against the file's size before it is used.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

// How elements of one type are stored: `block` of them in `bytes`.
struct TensorType {
    int64_t block = 1;
    int64_t bytes = 4;
};

// Nothing for a type number that llama.cpp v0.4.0 does not know.
std::optional<TensorType> tensor_type(uint32_t number);

struct TensorInfo {
    std::string name;
    uint32_t type = 0;  // ggml's number: 0 F32, 1 F16, 2 Q4_0, 8 Q8_0, 12 Q4_K
    std::array<int64_t, 4> dims{1, 1, 1, 1};  // columns first
    Bytes offset;                             // from ModelHeader::data_offset
    Bytes size;

    friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

// A model's header. A number that the file does not give is 0 (block_count of an adapter, say).
struct ModelHeader {
    uint32_t version = 0;
    std::string architecture;
    std::string name;
    int64_t layers = 0;
    int64_t embd = 0;
    std::vector<int64_t> ff;        // one for each layer
    std::vector<int64_t> heads;     // one for each layer
    std::vector<int64_t> heads_kv;  // one for each layer; 0: the layer keeps no KV
    int64_t key_length = 0;         // per head
    int64_t value_length = 0;
    int64_t context_length = 0;  // what it was trained on
    int64_t vocab_size = 0;
    int64_t window = 0;    // sliding window; 0: none
    int64_t ssm_conv = 0;  // recurrent state; all 0 for pure attention
    int64_t ssm_inner = 0;
    int64_t ssm_state = 0;
    int64_t ssm_groups = 0;
    int64_t experts = 0;
    int64_t experts_used = 0;
    int64_t split_no = 0;     // this file's place, from 0
    int64_t split_count = 0;  // files that make up the model; 0: this one alone
    std::optional<uint32_t> file_type;
    bool has_chat_template = false;
    Bytes data_offset;  // where the tensor data begins
    std::vector<TensorInfo> tensors;

    friend bool operator==(const ModelHeader&, const ModelHeader&) = default;
};

// The header is longer than the bytes given: give this many from the start of the file. At least
// twice as many as before, or the whole file.
struct NeedMoreBytes {
    Bytes bytes;
    friend bool operator==(const NeedMoreBytes&, const NeedMoreBytes&) = default;
};

struct GgufStart {
    std::span<const std::byte> bytes;  // the first bytes of the file
    Bytes file_size;                   // of the whole file; at least bytes.size()
};

// Returns: the header, or how much more of the file is needed; a caller that obeys has the
// header after a few calls. Allocates at most a small multiple of bytes.size().
// Errors: kInvalid with what is wrong and at which byte; a file that ends too early says
// "have X of Y bytes".
Result<std::variant<ModelHeader, NeedMoreBytes>> read_gguf(const GgufStart& start);

}  // namespace hotdesk
