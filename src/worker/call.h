// SPDX-License-Identifier: MIT
#pragma once
// One call from its first prompt token to its last word: the tokens that the engine has to see,
// how the next is chosen, and how text leaves. The session decides when it may compute.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wire/frames.h"
#include "worker/contexts.h"
#include "worker/engine.h"
#include "worker/engine_chat.h"
#include "worker/engine_sampler.h"
#include "worker/request.h"
#include "worker/text_gate.h"

namespace hotdesk::worker {

using Emit = std::function<void(const wire::FromWorker&)>;
using SteadyTime = std::chrono::steady_clock::time_point;

// Errors: "empty_prompt"; "invalid_request" for a token that the model has not;
// "context_length_exceeded" with the numbers prompt_tokens and context.
Asked<void> check_prompt(const Engine& engine, std::span<const Token> tokens);

class Call {
  public:
    // Tokenises the prompt and checks that it fits. Nothing has been computed yet.
    // Errors: as parse_request, ChatTemplates::apply, check_prompt and Sampler::make.
    static Asked<Call> prepare(const Engine& engine, const ChatTemplates& templates,
                               const wire::Generate& asked);

    uint64_t id() const { return id_; }
    const std::string& key() const { return key_; }

    // Everything the engine must have seen before the next token can be chosen: the prompt and
    // what was generated.
    const std::vector<Token>& tokens() const { return tokens_; }

    // Chooses the token after the last of tokens(), from row `index` of the engine's last batch,
    // and sends what it makes certain. Returns the finish reason once the call is over, else "".
    // Errors: kInternal; nothing more is sent.
    Result<std::string> advance(int index, const Emit& emit);

    // Sends what is still held back, then Finished.
    void finish(std::string reason, const Emit& emit);

    // The session's notes on it.
    Context* context = nullptr;  // while it runs
    size_t fed = 0;              // of tokens(): how many the engine has seen
    int64_t cached = -1;         // prompt tokens that were there already; -1 = not yet known
    SteadyTime started_at;       // first ran
    SteadyTime first_token_at;

  private:
    Call(const Engine& engine, uint64_t id, std::string key, Request request, Sampler sampler);

    Result<Token> choose(int index);
    void note_logprobs(int index, Token token);
    void send(std::string_view text, AnswerReader::Ending ending, const Emit& emit);
    int64_t generated() const { return static_cast<int64_t>(tokens_.size() - prompt_size_); }

    const Engine* engine_;
    uint64_t id_;
    std::string key_;
    Request request_;
    std::vector<Token> tokens_;
    size_t prompt_size_ = 0;
    std::deque<Token> forced_;  // chosen before anything is sampled
    Sampler sampler_;
    TextGate gate_;
    AnswerReader reader_;
    nlohmann::json logprobs_;  // of tokens whose text has not been sent, null when not asked for
};

}  // namespace hotdesk::worker
