// SPDX-License-Identifier: MIT
#include "worker/engine_sampler.h"

#include <fmt/format.h>
#include <sampling.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

#include "worker/engine_impl.h"

namespace hotdesk::worker {
namespace {

std::set<Token> special_tokens(const Engine& engine, const std::vector<std::string>& texts) {
    std::set<Token> tokens;
    for (const std::string& text : texts) {
        const std::vector<Token> ids = engine.tokenize(text, /*add_special=*/false);
        if (ids.size() == 1) tokens.insert(ids.front());
    }
    return tokens;
}

common_grammar_trigger to_trigger(const GrammarTrigger& trigger, const Engine& engine,
                                  const std::set<Token>& preserved) {
    switch (trigger.kind) {
        case GrammarTrigger::Kind::kToken:
            return {COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN, trigger.text, trigger.token};
        case GrammarTrigger::Kind::kPattern:
            return {COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN, trigger.text, -1};
        case GrammarTrigger::Kind::kWholePattern:
            return {COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL, trigger.text, -1};
        case GrammarTrigger::Kind::kWord: break;
    }
    // A word that is one special token never appears as text: its id is the trigger.
    const std::vector<Token> ids = engine.tokenize(trigger.text, false);
    if (ids.size() == 1 && preserved.contains(ids.front())) {
        return {COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN, trigger.text, ids.front()};
    }
    return {COMMON_GRAMMAR_TRIGGER_TYPE_WORD, trigger.text, -1};
}

std::vector<Token> ending_tokens(const Engine& engine) {
    std::vector<Token> tokens;
    for (Token token = 0; token < engine.facts().vocab; ++token) {
        if (engine.ends_generation(token)) tokens.push_back(token);
    }
    return tokens;
}

common_params_sampling to_params(const Sampling& s) {
    common_params_sampling params;
    params.seed = s.seed.value_or(LLAMA_DEFAULT_SEED);
    params.temp = static_cast<float>(s.temperature);
    params.top_p = static_cast<float>(s.top_p);
    params.min_p = static_cast<float>(s.min_p);
    params.top_k = s.top_k;
    params.penalty_freq = static_cast<float>(s.frequency_penalty);
    params.penalty_present = static_cast<float>(s.presence_penalty);
    params.penalty_repeat = static_cast<float>(s.repeat_penalty);
    params.penalty_last_n = s.penalty_window;
    params.no_perf = true;
    return params;
}

void set_constraint(const Engine& engine, const Constraint& c, common_params_sampling& params) {
    params.preserved_tokens = special_tokens(engine, c.preserved);
    if (c.grammar.empty()) return;
    const auto type =
        c.covers_generation_prompt ? COMMON_GRAMMAR_TYPE_TOOL_CALLS : COMMON_GRAMMAR_TYPE_USER;
    params.grammar = {type, c.grammar};
    params.grammar_lazy = c.is_lazy && !c.triggers.empty();
    params.generation_prompt = c.covers_generation_prompt ? c.generation_prompt : "";
    for (const GrammarTrigger& trigger : c.triggers) {
        params.grammar_triggers.push_back(to_trigger(trigger, engine, params.preserved_tokens));
    }
}

bool is_plain_greedy(const Sampling& s, const Constraint& c) {
    return s.temperature == 0 && c.grammar.empty() && s.logit_bias.empty() &&
           s.frequency_penalty == 0 && s.presence_penalty == 0 && s.repeat_penalty == 1;
}

}  // namespace

struct Sampler::Impl {
    const Engine* engine = nullptr;
    std::set<Token> shown;
    bool is_greedy = false;      // the likeliest token, without building 32,000 candidates
    std::vector<Token> ignored;  // never chosen
    common_sampler_ptr sampler;  // null when greedy
};

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Asked<Sampler> Sampler::make(const Engine& engine, const Sampling& sampling,
                             const Constraint& constraint) {
    auto impl = std::make_unique<Impl>();
    impl->engine = &engine;
    if (sampling.ignore_eos) impl->ignored = ending_tokens(engine);
    int32_t suppressed = 0;
    llama_vocab_get_suppress_tokens(engine.impl().vocab, &suppressed);
    impl->is_greedy = is_plain_greedy(sampling, constraint) && suppressed == 0;
    common_params_sampling params = to_params(sampling);
    for (const auto& [token, bias] : sampling.logit_bias) {
        if (!engine.has_token(token)) {
            return refuse("invalid_request",
                          fmt::format("\"logit_bias\" names token {}; the model has {}", token,
                                      engine.facts().vocab));
        }
        params.logit_bias.push_back({token, static_cast<float>(bias)});
    }
    for (const Token token : impl->ignored) params.logit_bias.push_back({token, -INFINITY});
    try {
        set_constraint(engine, constraint, params);
        impl->shown = {params.preserved_tokens.begin(), params.preserved_tokens.end()};
        if (!impl->is_greedy) {
            impl->sampler.reset(common_sampler_init(engine.impl().model.get(), params));
        }
    } catch (const std::exception& error) {
        // It is thrown for a grammar that does not parse, and for one that does not begin with the
        // generation prompt as this vocabulary writes it.
        return refuse("bad_schema", fmt::format("the answer's format cannot be enforced with this "
                                                "model: {}",
                                                error.what()));
    }
    return Sampler(std::move(impl));
}

namespace {

Token likeliest(std::span<const float> row, const std::vector<Token>& ignored) {
    auto best = std::max_element(row.begin(), row.end());
    if (!ignored.empty() &&
        std::find(ignored.begin(), ignored.end(), best - row.begin()) != ignored.end()) {
        std::vector<float> copy(row.begin(), row.end());
        for (const Token token : ignored) copy[static_cast<size_t>(token)] = -INFINITY;
        return static_cast<Token>(std::max_element(copy.begin(), copy.end()) - copy.begin());
    }
    return static_cast<Token>(best - row.begin());
}

}  // namespace

Result<Token> Sampler::sample(int index) {
    if (impl_->is_greedy) return likeliest(impl_->engine->logits(index), impl_->ignored);
    try {
        llama_context* context = impl_->engine->impl().context.get();
        const Token token = common_sampler_sample(impl_->sampler.get(), context, index);
        common_sampler_accept(impl_->sampler.get(), token, true);
        return token;
    } catch (const std::exception& error) {
        return fail(Code::kInternal,
                    fmt::format("no token fits the answer's format: {}", error.what()));
    }
}

Status Sampler::accept(Token token) {
    if (impl_->is_greedy) return {};
    try {
        common_sampler_accept(impl_->sampler.get(), token, true);
        return {};
    } catch (const std::exception& error) {
        return fail(Code::kInvalid,
                    fmt::format("the format does not allow token {}: {}", token, error.what()));
    }
}

bool Sampler::shows_special(Token token) const {
    return impl_->shown.contains(token);
}

}  // namespace hotdesk::worker
