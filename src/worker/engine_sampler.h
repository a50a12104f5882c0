// SPDX-License-Identifier: MIT
#pragma once
// Chooses the next token of one call: temperature and its kin, penalties, and a grammar that the
// answer must match. llama-common does the work; its exceptions end in the .cc.

#include <memory>
#include <string>
#include <vector>

#include "worker/engine.h"
#include "worker/request.h"

namespace hotdesk::worker {

// What sets a lazy grammar going.
struct GrammarTrigger {
    enum class Kind { kToken, kWord, kPattern, kWholePattern };
    Kind kind = Kind::kWord;
    std::string text;
    Token token = -1;
};

// What the answer must look like. Empty grammar: anything.
struct Constraint {
    std::string grammar;            // GBNF
    bool is_lazy = false;           // holds only after one of the triggers
    std::string generation_prompt;  // the grammar covers this text, already in the prompt
    bool covers_generation_prompt = false;
    std::vector<GrammarTrigger> triggers;
    std::vector<std::string> preserved;  // special tokens that the answer's parser needs to see
};

class Sampler {
  public:
    // Errors: "bad_schema" if the grammar cannot be read or does not fit the vocabulary,
    // "invalid_request" for values the engine refuses.
    static Asked<Sampler> make(const Engine& engine, const Sampling& sampling,
                               const Constraint& constraint);
    Sampler(Sampler&&) noexcept;
    Sampler& operator=(Sampler&&) noexcept;
    ~Sampler();

    // The next token after the one at `index` of the engine's last batch; it is accepted with it.
    // Errors: kInternal if the grammar has come to a dead end.
    Result<Token> sample(int index);

    // Takes a token that was not sampled, so that grammar and penalties know it.
    // Errors: kInvalid if the grammar does not allow it.
    Status accept(Token token);

    bool shows_special(Token token) const;  // its text is part of the answer though it is special

  private:
    struct Impl;
    explicit Sampler(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hotdesk::worker
