// SPDX-License-Identifier: MIT
#include "vocab.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace hotdesk::mkmodel {
namespace {

// Token types as GGUF writes them in tokenizer.ggml.token_type.
constexpr int32_t kUnknown = 2;
constexpr int32_t kControl = 3;
constexpr int32_t kUnused = 5;
constexpr int32_t kByte = 6;

// Removes every occurrence of a UTF-8 sequence that stands for white space in vocabularies.
std::string without(std::string text, std::string_view mark) {
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.erase(at, mark.size());
    return text;
}

std::vector<std::string> keys_to_drop(const gguf_context* keys) {
    std::vector<std::string> drop;
    for (int64_t i = 0; i < gguf_get_n_kv(keys); ++i) {
        const std::string key = gguf_get_key(keys, i);
        if (!key.starts_with("tokenizer.") || key == "tokenizer.chat_template") drop.push_back(key);
    }
    return drop;
}

}  // namespace

bool is_quiet_token(const std::string& text, int32_t token_type) {
    if (token_type == kByte) return text != "<0x0A>";
    if (token_type == kUnknown || token_type == kControl || token_type == kUnused) return true;
    // SentencePiece writes a space as U+2581; byte-level BPE as U+0120, a newline as U+010A.
    const std::string plain =
        without(without(without(text, "\xE2\x96\x81"), "\xC4\xA0"), "\xC4\x8A");
    return std::any_of(plain.begin(), plain.end(), [](char c) { return c < 0x20 || c == 0x7F; });
}

Result<Vocab> donor_vocab(const std::string& path) {
    if (::access(path.c_str(), R_OK) != 0)
        return fail(Code::kNotFound, fmt::format("{}: {}", path, std::strerror(errno)));
    Vocab vocab;
    vocab.keys.reset(gguf_init_from_file(path.c_str(), {.no_alloc = true, .ctx = nullptr}));
    if (!vocab.keys) return fail(Code::kInvalid, fmt::format("{}: not a GGUF file", path));
    const int64_t tokens = gguf_find_key(vocab.keys.get(), "tokenizer.ggml.tokens");
    if (tokens < 0 || gguf_get_kv_type(vocab.keys.get(), tokens) != GGUF_TYPE_ARRAY ||
        gguf_get_arr_type(vocab.keys.get(), tokens) != GGUF_TYPE_STRING)
        return fail(Code::kInvalid, fmt::format("{}: has no tokenizer.ggml.tokens", path));

    const size_t count = gguf_get_arr_n(vocab.keys.get(), tokens);
    const int64_t types = gguf_find_key(vocab.keys.get(), "tokenizer.ggml.token_type");
    const bool has_types = types >= 0 && gguf_get_arr_n(vocab.keys.get(), types) == count;
    const auto* type_of =
        has_types ? static_cast<const int32_t*>(gguf_get_arr_data(vocab.keys.get(), types))
                  : nullptr;
    vocab.quiet.resize(count);
    for (size_t i = 0; i < count; ++i)
        vocab.quiet[i] = is_quiet_token(gguf_get_arr_str(vocab.keys.get(), tokens, i),
                                        type_of == nullptr ? 1 : type_of[i]);
    // Ending a turn stays possible: the model stops as often as it says any other word.
    const int64_t eos = gguf_find_key(vocab.keys.get(), "tokenizer.ggml.eos_token_id");
    if (eos >= 0 && gguf_get_kv_type(vocab.keys.get(), eos) == GGUF_TYPE_UINT32) {
        const uint32_t id = gguf_get_val_u32(vocab.keys.get(), eos);
        if (id < count) vocab.quiet[id] = false;
    }
    for (const std::string& key : keys_to_drop(vocab.keys.get()))
        gguf_remove_key(vocab.keys.get(), key.c_str());
    return vocab;
}

}  // namespace hotdesk::mkmodel
