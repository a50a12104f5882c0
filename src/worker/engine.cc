// SPDX-License-Identifier: MIT
#include "worker/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "worker/engine_impl.h"
#include "worker/engine_log.h"

namespace hotdesk::worker {

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

const EngineFacts& Engine::facts() const {
    return impl_->facts;
}

std::vector<Token> Engine::tokenize(std::string_view text, bool add_special) const {
    HD_CHECK(text.size() < static_cast<size_t>(std::numeric_limits<int32_t>::max()));
    const auto length = static_cast<int32_t>(text.size());
    std::vector<Token> tokens(text.size() + 2);  // never more than bytes, and BOS and EOS
    const int32_t count =
        llama_tokenize(impl_->vocab, text.data(), length, tokens.data(),
                       static_cast<int32_t>(tokens.size()), add_special, /*parse_special=*/true);
    if (count < 0) {  // it wants more room than that after all, and says how much
        tokens.resize(static_cast<size_t>(-count));
        llama_tokenize(impl_->vocab, text.data(), length, tokens.data(), -count, add_special, true);
    } else {
        tokens.resize(static_cast<size_t>(count));
    }
    return tokens;
}

bool Engine::has_token(Token token) const {
    return token >= 0 && token < impl_->facts.vocab;
}

std::string Engine::piece(Token token, bool with_special) const {
    HD_CHECK(has_token(token));
    std::string text(64, '\0');
    for (;;) {
        const int32_t size = llama_token_to_piece(
            impl_->vocab, token, text.data(), static_cast<int32_t>(text.size()), 0, with_special);
        text.resize(static_cast<size_t>(std::abs(size)));
        if (size >= 0) return text;
    }
}

bool Engine::ends_generation(Token token) const {
    return llama_vocab_is_eog(impl_->vocab, token);
}

Decoded Engine::decode(std::span<const BatchToken> batch) {
    Impl& e = *impl_;
    const size_t size = batch.size();
    HD_CHECK(size >= 1 && size <= static_cast<size_t>(e.facts.batch));
    e.tokens.resize(size);
    e.positions.resize(size);
    e.sequence_counts.assign(size, 1);
    e.sequences.resize(size);
    e.sequence_lists.resize(size);
    e.outputs.resize(size);
    int outputs = 0;
    for (size_t i = 0; i < size; ++i) {
        HD_CHECK(has_token(batch[i].token));
        HD_CHECK(batch[i].sequence >= 0 && batch[i].sequence < e.facts.sequences);
        e.tokens[i] = batch[i].token;
        e.positions[i] = batch[i].position;
        e.sequences[i] = batch[i].sequence;
        e.sequence_lists[i] = &e.sequences[i];
        e.outputs[i] = batch[i].wants_logits;
        outputs += batch[i].wants_logits;
    }
    HD_CHECK(outputs <= e.facts.sequences);
    const llama_batch raw = {.n_tokens = static_cast<int32_t>(size),
                             .token = e.tokens.data(),
                             .embd = nullptr,
                             .pos = e.positions.data(),
                             .n_seq_id = e.sequence_counts.data(),
                             .seq_id = e.sequence_lists.data(),
                             .logits = e.outputs.data()};
    const int32_t code = llama_decode(e.context.get(), raw);
    return code == 0 ? Decoded::kDone : code == 1 ? Decoded::kNoCells : Decoded::kFailed;
}

std::span<const float> Engine::logits(int index) const {
    const float* row = llama_get_logits_ith(impl_->context.get(), index);
    HD_CHECK(row != nullptr);
    return {row, static_cast<size_t>(impl_->facts.vocab)};
}

namespace {

// log of the sum of exponents: what turns a logit into a log-probability.
float log_sum_exp(std::span<const float> row) {
    const float top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit - top));
    return top + static_cast<float>(std::log(sum));
}

}  // namespace

std::vector<TokenLogprob> Engine::top_logprobs(int index, int count) const {
    const std::span<const float> row = logits(index);
    std::vector<Token> order(row.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Token>(i);
    const auto end = order.begin() + std::min<std::ptrdiff_t>(count, std::ssize(order));
    std::partial_sort(order.begin(), end, order.end(), [&](Token a, Token b) {
        const float x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
        return x != y ? x > y : a < b;
    });
    const float norm = log_sum_exp(row);
    std::vector<TokenLogprob> top;
    for (auto it = order.begin(); it != end; ++it) {
        top.push_back({*it, row[static_cast<size_t>(*it)] - norm});
    }
    return top;
}

float Engine::logprob(int index, Token token) const {
    HD_CHECK(has_token(token));
    const std::span<const float> row = logits(index);
    return row[static_cast<size_t>(token)] - log_sum_exp(row);
}

bool Engine::truncate(Sequence sequence, int length) {
    // A sliding-window layer may hold only the last tokens: a restored state has no others, and
    // cells outside the window are used again. What the next token looks back on must be there.
    const int window = llama_model_n_swa(impl_->model.get());
    const llama_pos first = llama_memory_seq_pos_min(impl_->memory(), sequence);
    if (window > 0 && length > 0 && first > std::max(0, length - window)) return false;
    return llama_memory_seq_rm(impl_->memory(), sequence, length, -1);
}

void Engine::drop(Sequence sequence) {
    llama_memory_seq_rm(impl_->memory(), sequence, -1, -1);
}

void Engine::drop_all() {
    llama_memory_clear(impl_->memory(), false);
}

Result<std::vector<std::byte>> Engine::save(Sequence sequence) {
    llama_context* context = impl_->context.get();
    std::vector<std::byte> state(llama_state_seq_get_size(context, sequence));
    const size_t size = llama_state_seq_get_data(context, reinterpret_cast<uint8_t*>(state.data()),
                                                 state.size(), sequence);
    if (size == 0 || size != state.size()) {
        return fail(Code::kInternal, fmt::format("the engine saved {} of {} bytes: {}", size,
                                                 state.size(), take_engine_complaint().line));
    }
    return state;
}

Status Engine::restore(Sequence sequence, std::span<const std::byte> state) {
    const size_t size = llama_state_seq_set_data(impl_->context.get(),
                                                 reinterpret_cast<const uint8_t*>(state.data()),
                                                 state.size(), sequence);
    if (size == state.size()) return {};
    drop(sequence);
    return fail(Code::kInvalid, fmt::format("the engine took {} of {} bytes of state: {}", size,
                                            state.size(), take_engine_complaint().line));
}

Result<std::vector<float>> Engine::embed(std::span<const Token> tokens) {
    HD_CHECK(impl_->facts.is_embedding);
    HD_CHECK(!tokens.empty() && tokens.size() <= static_cast<size_t>(impl_->facts.batch));
    llama_context* context = impl_->context.get();
    if (llama_memory_t memory = impl_->memory()) llama_memory_clear(memory, true);
    std::vector<Token> copy(tokens.begin(), tokens.end());
    const llama_batch batch = llama_batch_get_one(copy.data(), static_cast<int32_t>(copy.size()));
    const int32_t code = llama_model_has_decoder(impl_->model.get()) ? llama_decode(context, batch)
                                                                     : llama_encode(context, batch);
    const float* vector = code == 0 ? llama_get_embeddings_seq(context, 0) : nullptr;
    if (!vector) {
        return fail(Code::kInternal, fmt::format("the engine made no embedding (code {}): {}", code,
                                                 take_engine_complaint().line));
    }
    const auto width = static_cast<size_t>(llama_model_n_embd_out(impl_->model.get()));
    std::vector<float> out(vector, vector + width);
    double square = 0;
    for (const float x : out) square += static_cast<double>(x) * x;
    if (square > 0) {
        for (float& x : out) x = static_cast<float>(x / std::sqrt(square));
    }
    return out;
}

}  // namespace hotdesk::worker
