// SPDX-License-Identifier: MIT
#pragma once
// The tokenizer that a random model speaks: copied from a vocabulary-only GGUF, or a small built-in
// one. Knows which tokens a random model should hardly ever say ("quiet"): control tokens, raw
// bytes, non-ASCII and word fragments, so that its text looks like words.

#include <gguf.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace hotdesk::mkmodel {

struct GgufFree {
    void operator()(gguf_context* context) const { gguf_free(context); }
};
using GgufPtr = std::unique_ptr<gguf_context, GgufFree>;

// Owns the tokenizer.* keys, ready to be copied into a model with gguf_set_kv.
struct Vocab {
    GgufPtr keys;
    std::vector<bool> quiet;  // one for each token

    int64_t size() const { return static_cast<int64_t>(quiet.size()); }
};

// SentencePiece style: 256 byte tokens, printable ASCII, and some 270 English words with the pieces
// that merge into them. <|im_end|> ends a turn.
Vocab builtin_vocab();

// Errors: kNotFound when the file cannot be opened, kInvalid when it holds no vocabulary.
Result<Vocab> donor_vocab(const std::string& path);

// What a token of the donor's array looks like to a reader.
// Returns true for control, unknown, unused and byte tokens (but newline) and for non-ASCII text.
bool is_quiet_token(const std::string& text, int32_t token_type);

}  // namespace hotdesk::mkmodel
