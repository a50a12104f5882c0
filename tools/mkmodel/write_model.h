// SPDX-License-Identifier: MIT
#pragma once
// Writes a random-weight model to a GGUF file. The same order gives the same bytes on every
// machine: a counter-based generator, no libm, and the quantizers of one pinned ggml.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "recipe.h"
#include "vocab.h"

namespace hotdesk::mkmodel {

// How the vectors of a text's tokens become one: then the model makes embeddings, and no text.
// The numbers are GGUF's.
enum class Pooling : uint8_t { kNone = 0, kMean = 1, kLast = 3 };

struct Order {
    std::string path;
    std::string name = "random";  // general.name
    Shape shape;
    Quant quant = Quant::kQ8_0;
    uint64_t seed = 1;
    std::string chat_template;  // Jinja; empty: none
    Pooling pooling = Pooling::kNone;
};

// The built-in ChatML template, with tools in the Hermes style (<tools>, <tool_call>).
const char* chatml_template();

// Writes order.path through a temporary file beside it, so that a reader never sees half a model.
// Requires: check_shape passed.
// Returns: the size of the file. Errors: kNoSpace or kDenied from the file system, with its path.
Result<Bytes> write_model(const Order& order, const Vocab& vocab);

// Converts a finished F16 model to a K-quant with libllama; overwrites `to`.
// Errors: kInternal when libllama refuses, with its last message.
Status quantize_file(const std::string& from, const std::string& to, Quant quant);

}  // namespace hotdesk::mkmodel
