// SPDX-License-Identifier: MIT
#include "worker/call.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace hotdesk::worker {
namespace {

using nlohmann::json;
using wire::CallKind;

Millis between(SteadyTime from, SteadyTime to) {
    return {std::chrono::duration_cast<std::chrono::milliseconds>(to - from).count()};
}

// What a prompt becomes, whichever kind of call it came with.
struct Prompt {
    std::vector<Token> tokens;
    Constraint constraint;
    std::string forced;
    std::vector<std::string> stops;
    AnswerReader reader;
};

Asked<Prompt> chat_prompt(const Engine& engine, const ChatTemplates& templates, const json& body,
                          const Request& request) {
    HD_TRY(ChatPrompt chat, templates.apply(body, request));
    return Prompt{engine.tokenize(chat.text), std::move(chat.constraint), std::move(chat.forced),
                  std::move(chat.stops), std::move(chat.reader)};
}

Asked<Prompt> completion_prompt(const Engine& engine, const Request& request) {
    Prompt out;
    if (const auto* text = std::get_if<std::string>(&request.prompt)) {
        out.tokens = engine.tokenize(*text);
    } else {
        out.tokens = std::get<std::vector<Token>>(request.prompt);
    }
    if (!request.schema.empty()) {
        HD_TRY(out.constraint, schema_constraint(request.schema));
    }
    return out;
}

}  // namespace

Asked<void> check_prompt(const Engine& engine, std::span<const Token> tokens) {
    const EngineFacts& facts = engine.facts();
    const int64_t context = facts.is_embedding ? facts.batch : facts.cells.value;
    if (tokens.empty()) return refuse("empty_prompt", "the prompt has no tokens");
    for (const Token token : tokens) {
        if (engine.has_token(token)) continue;
        return refuse("invalid_request", fmt::format("the prompt names token {}; the model has {}",
                                                     token, facts.vocab));
    }
    if (std::ssize(tokens) <= context) return {};
    return refuse("context_length_exceeded",
                  fmt::format("the prompt has {} tokens; the context holds {}: shorten the prompt, "
                              "or load the model with more cells",
                              tokens.size(), context),
                  {{"prompt_tokens", tokens.size()}, {"context", context}});
}

Call::Call(const Engine& engine, uint64_t id, std::string key, Request request, Sampler sampler)
    : engine_(&engine),
      id_(id),
      key_(std::move(key)),
      request_(std::move(request)),
      sampler_(std::move(sampler)) {}

Asked<Call> Call::prepare(const Engine& engine, const ChatTemplates& templates,
                          const wire::Generate& asked) {
    HD_TRY(Request request, parse_request(asked.kind, asked.body));
    const bool is_chat = asked.kind == CallKind::kChat;
    HD_TRY(Prompt prompt, is_chat ? chat_prompt(engine, templates, asked.body, request)
                                  : completion_prompt(engine, request));
    HD_TRY_VOID(check_prompt(engine, prompt.tokens));
    HD_TRY(Sampler sampler, Sampler::make(engine, request.sampling, prompt.constraint));
    for (std::string& stop : request.stops) prompt.stops.push_back(std::move(stop));

    Call call(engine, asked.id, asked.context, std::move(request), std::move(sampler));
    call.prompt_size_ = prompt.tokens.size();
    call.tokens_ = std::move(prompt.tokens);
    call.gate_ = TextGate(std::move(prompt.stops));
    call.reader_ = std::move(prompt.reader);
    for (const Token token : engine.tokenize(prompt.forced, /*add_special=*/false)) {
        call.forced_.push_back(token);
    }
    return call;
}

Result<Token> Call::choose(int index) {
    if (!forced_.empty()) {
        const Token token = forced_.front();
        forced_.pop_front();
        if (sampler_.accept(token)) return token;
        forced_.clear();  // the format does not begin so after all: the model is left to it
    }
    return sampler_.sample(index);
}

void Call::note_logprobs(int index, Token token) {
    const auto entry = [this](Token t, float logprob) {
        const std::string bytes = engine_->piece(t, true);
        json list = json::array();
        for (const char c : bytes) list.push_back(static_cast<unsigned char>(c));
        return json{{"token", bytes}, {"logprob", logprob}, {"bytes", std::move(list)}};
    };
    json chosen = entry(token, engine_->logprob(index, token));
    chosen["top_logprobs"] = json::array();
    for (const TokenLogprob& top : engine_->top_logprobs(index, *request_.top_logprobs)) {
        chosen["top_logprobs"].push_back(entry(top.token, top.logprob));
    }
    if (logprobs_.is_null()) logprobs_ = {{"content", json::array()}};
    logprobs_["content"].push_back(std::move(chosen));
}

void Call::send(std::string_view text, AnswerReader::Ending ending, const Emit& emit) {
    for (json& delta : reader_.read(text, ending)) {
        emit(wire::Delta{id_, std::move(delta), std::exchange(logprobs_, nullptr)});
    }
}

Result<std::string> Call::advance(int index, const Emit& emit) {
    if (request_.max_tokens == 0) return "length";
    HD_TRY(const Token token, choose(index));
    if (engine_->ends_generation(token) && !request_.sampling.ignore_eos) return "stop";
    tokens_.push_back(token);
    if (request_.top_logprobs) note_logprobs(index, token);
    send(gate_.push(engine_->piece(token, sampler_.shows_special(token))),
         AnswerReader::Ending::kNotYet, emit);
    if (gate_.is_stopped()) return "stop";
    const bool is_long = generated() == request_.max_tokens;
    const bool is_full = static_cast<int64_t>(tokens_.size()) > engine_->facts().cells.value;
    return is_long || is_full ? "length" : "";
}

void Call::finish(std::string reason, const Emit& emit) {
    const bool is_whole = reason == "stop";
    send(gate_.flush(), is_whole ? AnswerReader::Ending::kWhole : AnswerReader::Ending::kCut, emit);
    if (is_whole && reader_.has_tool_calls()) reason = "tool_calls";
    const SteadyTime now = std::chrono::steady_clock::now();
    const bool has_run = started_at != SteadyTime{};
    const bool has_answered = first_token_at != SteadyTime{};
    wire::Finished done{.id = id_, .finish_reason = std::move(reason)};
    done.prompt = {static_cast<int64_t>(prompt_size_)};
    done.cached = {cached < 0 ? 0 : cached};
    done.completion = {generated()};
    if (has_run) done.prefill = between(started_at, has_answered ? first_token_at : now);
    if (has_answered) done.decode = between(first_token_at, now);
    emit(done);
}

}  // namespace hotdesk::worker
