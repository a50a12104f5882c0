// SPDX-License-Identifier: MIT
// SentencePiece merges the neighbouring pair with the best score until none is in the vocabulary. A
// word is therefore reachable only if a chain of merges leads to it: for " the" the vocabulary
// needs " t", " th" and " the". Longer pieces score higher, so the chain that has begun is finished
// first.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "vocab.h"

namespace hotdesk::mkmodel {
namespace {

constexpr const char* kSpace = "\xE2\x96\x81";  // U+2581, SentencePiece's visible space

constexpr const char* kWords =
    "the a of to and in is it that for on with as at by from this be are was not or an but we you "
    "they he she has have had will would can could should may might must do does done make made "
    "take took give given find found see seen know known think say said tell ask answer need want "
    "use used work works working job jobs task tasks agent agents model models queue desk device "
    "memory token tokens context cache layer weight batch slot lease owner waiter turn line time "
    "minute hour day night morning week now then soon later before after while until when where "
    "why "
    "how what which who all any some none each every many few more most less least one two three "
    "four five six seven eight nine ten first second third last next new old same other another "
    "good better best small large short long fast slow early late high low open closed full empty "
    "free busy ready done failed passed skipped waiting running stopped started ended loaded "
    "unloaded parked report summary note list table row file page line word letter mail message "
    "inbox invoice order customer market price budget cost value change trend risk plan step "
    "result "
    "reason cause effect check test review draft edit write read send reply move keep drop split "
    "join sort count measure compare choose decide wait run stop start load call end begin "
    "so if no yes please thanks here there up down out over under again only also very just "
    "about into than between without within because however therefore still already always never";

struct Builder {
    std::vector<std::string> tokens;
    std::vector<float> scores;
    std::vector<int32_t> types;
    std::vector<bool> quiet;
    std::set<std::string> seen;

    void add(const std::string& text, int32_t type, float score, bool is_quiet) {
        if (!seen.insert(text).second) return;
        tokens.push_back(text);
        scores.push_back(score);
        types.push_back(type);
        quiet.push_back(is_quiet);
    }
};

constexpr int32_t kNormal = 1, kUnknown = 2, kControl = 3, kByte = 6;
constexpr uint32_t kBosId = 1, kEosId = 4;  // <s> and <|im_end|>, in the order of add_specials

void add_specials(Builder& b) {
    b.add("<unk>", kUnknown, 0, true);
    b.add("<s>", kControl, 0, true);
    b.add("</s>", kControl, 0, true);
    b.add("<|im_start|>", kControl, 0, true);
    b.add("<|im_end|>", kControl, 0, false);
    for (int byte = 0; byte < 256; ++byte)
        b.add(fmt::format("<0x{:02X}>", byte), kByte, 0, byte != '\n');
}

std::vector<std::string> words() {
    std::vector<std::string> out;
    std::istringstream text(kWords);
    for (std::string word; text >> word;) out.push_back(word);
    return out;
}

void add_pieces(Builder& b) {
    for (const std::string& word : words())
        b.add(kSpace + word, kNormal, static_cast<float>(word.size()), false);
    for (const char* mark : {".", ","}) b.add(mark, kNormal, -1, false);
    for (const std::string& word : words())
        for (size_t length = 1; length < word.size(); ++length)
            b.add(kSpace + word.substr(0, length), kNormal, static_cast<float>(length), true);
    b.add(kSpace, kNormal, -1, true);
    for (char c = '!'; c <= '~'; ++c) b.add(std::string(1, c), kNormal, -1, true);
}

}  // namespace

Vocab builtin_vocab() {
    Builder b;
    add_specials(b);
    add_pieces(b);
    std::vector<const char*> texts;
    for (const std::string& token : b.tokens) texts.push_back(token.c_str());

    Vocab vocab;
    vocab.keys.reset(gguf_init_empty());
    gguf_context* keys = vocab.keys.get();
    gguf_set_val_str(keys, "tokenizer.ggml.model", "llama");
    gguf_set_val_str(keys, "tokenizer.ggml.pre", "default");
    gguf_set_arr_str(keys, "tokenizer.ggml.tokens", texts.data(), texts.size());
    gguf_set_arr_data(keys, "tokenizer.ggml.scores", GGUF_TYPE_FLOAT32, b.scores.data(),
                      texts.size());
    gguf_set_arr_data(keys, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, b.types.data(),
                      texts.size());
    gguf_set_val_u32(keys, "tokenizer.ggml.bos_token_id", kBosId);
    gguf_set_val_u32(keys, "tokenizer.ggml.eos_token_id", kEosId);
    gguf_set_val_u32(keys, "tokenizer.ggml.unknown_token_id", 0);
    gguf_set_val_bool(keys, "tokenizer.ggml.add_bos_token", false);
    gguf_set_val_bool(keys, "tokenizer.ggml.add_space_prefix", false);
    vocab.quiet = std::move(b.quiet);
    return vocab;
}

}  // namespace hotdesk::mkmodel
