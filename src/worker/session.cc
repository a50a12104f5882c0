// SPDX-License-Identifier: MIT
#include "worker/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "worker/park_file.h"

namespace hotdesk::worker {

Session::Session(Engine& engine, const ChatTemplates& templates, SessionOptions options, Emit emit)
    : engine_(engine),
      templates_(templates),
      options_(options),
      emit_(std::move(emit)),
      contexts_(engine.facts().sequences) {
    HD_CHECK(options_.slots >= 1);
    options_.slots = std::min(options_.slots, engine.facts().sequences);
}

wire::Ready Session::ready() const {
    const EngineFacts& facts = engine_.facts();
    return {.device_bytes = facts.device_bytes,
            .host_bytes = facts.host_bytes,
            .context = facts.cells,
            .slots = options_.slots,
            .layers = facts.layers,
            .layers_on_device = facts.layers_on_device,
            .engine = facts.version};
}

void Session::handle(const wire::ToWorker& frame) {
    std::visit([this](const auto& f) { on(f); }, frame);
}

void Session::on(const wire::Generate& frame) {
    arrived_.push_back(frame);
}

void Session::on(const wire::Cancel& frame) {
    const auto has_id = [&](const CallPtr& call) { return call->id() == frame.id; };
    if (auto it = std::find_if(running_.begin(), running_.end(), has_id); it != running_.end()) {
        end(**it, "cancelled");
        running_.erase(it);
        return;
    }
    if (auto it = std::find_if(waiting_.begin(), waiting_.end(), has_id); it != waiting_.end()) {
        (*it)->finish("cancelled", emit_);
        waiting_.erase(it);
        return;
    }
    const auto is_it = [&](const wire::Generate& call) { return call.id == frame.id; };
    if (std::erase_if(arrived_, is_it) > 0) {
        emit_(wire::Finished{.id = frame.id, .finish_reason = "cancelled"});
    }  // else it ended while the cancel was on its way
}

void Session::on(const wire::Park& frame) {
    if (auto done = park(frame); !done) emit_(wire::ContextFailed{frame.context, done.error()});
}

void Session::on(const wire::Restore& frame) {
    if (auto done = restore(frame); !done) emit_(wire::ContextFailed{frame.context, done.error()});
}

void Session::on(const wire::Drop& frame) {
    Context* context = contexts_.find(frame.context);
    if (!context) return;
    if (context->is_busy)
        context->key.clear();  // it goes when its call ends
    else
        drop_context(*context);
}

void Session::on(const wire::AskStats&) {
    wire::Stats stats = totals_;
    stats.running = static_cast<int>(running_.size());
    stats.waiting = static_cast<int>(arrived_.size() + waiting_.size());
    stats.cells_used = contexts_.cells_used();
    stats.cells = engine_.facts().cells;
    stats.contexts = contexts_.count();
    emit_(stats);
}

void Session::on(const wire::Quit&) {}

// ---- contexts in files -------------------------------------------------------------------------

Status Session::park(const wire::Park& frame) {
    Context* context = contexts_.find(frame.context);
    if (!context) return fail(Code::kNotFound, fmt::format("no context {}", frame.context));
    if (context->is_busy) {
        return fail(Code::kBusy, fmt::format("context {} is in use by a call", frame.context));
    }
    ParkedContext parked{
        .identity = engine_.facts().identity, .tokens = context->tokens, .state = {}};
    HD_TRY(parked.state, engine_.save(context->sequence));
    HD_TRY(const Bytes bytes, write_parked(frame.path, parked));
    drop_context(*context);
    emit_(wire::Parked{frame.context, bytes, {static_cast<int64_t>(parked.tokens.size())}});
    return {};
}

// Nothing is dropped for a context that cannot be had. One of the same agent goes last while both
// fit, so that it stays when the engine does not take the new one, and else first: it is the one
// that is replaced.
Status Session::restore(const wire::Restore& frame) {
    HD_TRY(ParkedContext parked, read_parked(frame.path, engine_.facts().identity));
    Context* old = contexts_.find(frame.context);
    if (old && old->is_busy)
        return fail(Code::kBusy, fmt::format("context {} is in use by a call", frame.context));
    const Tokens wanted{static_cast<int64_t>(parked.tokens.size())};
    HD_TRY_VOID(can_have(frame.context, wanted));
    if (old && !has_room_for(wanted)) drop_context(*std::exchange(old, nullptr));
    while (!has_room_for(wanted)) drop_context(*contexts_.oldest_idle());
    Context& context = contexts_.open("");
    if (auto done = engine_.restore(context.sequence, parked.state); !done) {
        contexts_.close(context);
        return done;
    }
    if (old) drop_context(*old);
    context.key = frame.context;
    context.tokens = std::move(parked.tokens);
    context.is_busy = false;
    emit_(wire::Restored{frame.context, wanted});
    return {};
}

Status Session::can_have(const std::string& context, Tokens wanted) {
    const Tokens busy = contexts_.cells_busy();
    const bool has_sequence = contexts_.has_free_sequence() || contexts_.oldest_idle();
    if (has_sequence && busy + wanted <= engine_.facts().cells) return {};
    return fail(Code::kNoSpace,
                fmt::format("context {} has {} tokens; {} of {} cells are in use by calls", context,
                            wanted.value, busy.value, engine_.facts().cells.value));
}

bool Session::has_room_for(Tokens wanted) const {
    return contexts_.has_free_sequence() &&
           contexts_.cells_used() + wanted <= engine_.facts().cells;
}

void Session::drop_context(Context& context) {
    engine_.drop(context.sequence);
    contexts_.close(context);
}

// ---- from arrival to running -------------------------------------------------------------------

// One call a step: templates and tokenising take milliseconds each, and fifty calls that arrive
// together must not hold up those who are decoding.
void Session::prepare_one() {
    if (arrived_.empty()) return;
    const wire::Generate frame = std::move(arrived_.front());
    arrived_.pop_front();
    if (frame.kind == wire::CallKind::kEmbedding) return embed(frame);
    if (engine_.facts().is_embedding) {
        return emit_broken(frame.id, {{Code::kInvalid, "this model makes embeddings, not text"},
                                      "not_a_text_model"});
    }
    auto call = Call::prepare(engine_, templates_, frame);
    if (call)
        waiting_.push_back(std::make_unique<Call>(*std::move(call)));
    else
        emit_broken(frame.id, std::move(call).error());
}

void Session::admit() {
    while (!waiting_.empty() && static_cast<int>(running_.size()) < options_.slots &&
           has_room_for(*waiting_.front())) {
        CallPtr call = std::move(waiting_.front());
        waiting_.pop_front();
        start(std::move(call));
    }
}

// Cells of idle contexts count as free: they are evicted when needed. A call that was put back
// needs some more than it has now, or it would be put back again at once.
bool Session::has_room_for(const Call& call) const {
    if (running_.empty()) return true;
    constexpr size_t kHeadroom = 16;
    size_t wanted = call.tokens().size();
    for (const CallPtr& other : running_) wanted += other->tokens().size() + kHeadroom;
    return wanted <= static_cast<size_t>(engine_.facts().cells.value);
}

Context& Session::context_for(const Call& call) {
    Context* known = contexts_.find(call.key());
    if (known && !known->is_busy) {
        known->is_busy = true;
        return *known;
    }
    if (!contexts_.has_free_sequence()) drop_context(*contexts_.oldest_idle());
    // A second call of the same agent at the same time computes on its own, and keeps nothing.
    return contexts_.open(known ? std::string() : call.key());
}

void Session::start(CallPtr call) {
    Context& context = context_for(*call);
    // The last token is always computed: its logits are what the answer begins with.
    size_t keep =
        std::min(common_prefix(context.tokens, call->tokens()), call->tokens().size() - 1);
    if (keep < context.tokens.size() &&
        !engine_.truncate(context.sequence, static_cast<int>(keep))) {
        engine_.drop(context.sequence);  // recurrent models cannot go back by some tokens
        keep = 0;
    }
    context.tokens.resize(keep);
    contexts_.touch(context);
    call->context = &context;
    call->fed = keep;
    if (call->cached < 0) {
        call->cached = static_cast<int64_t>(keep);
        call->started_at = std::chrono::steady_clock::now();
        totals_.cached_tokens += keep;
    }
    running_.push_back(std::move(call));
}

// ---- one batch ---------------------------------------------------------------------------------

void Session::step() {
    prepare_one();
    admit();
    if (running_.empty()) return;
    compute(make_room());
}

std::vector<size_t> Session::share() const {
    std::vector<size_t> pending;
    for (const CallPtr& call : running_) pending.push_back(call->tokens().size() - call->fed);
    return share_batch(pending, {static_cast<size_t>(engine_.facts().batch), options_.chunk});
}

// Frees cells until the step's batch fits, and returns how it is shared out.
std::vector<size_t> Session::make_room() {
    for (;;) {
        std::vector<size_t> shares = share();
        int64_t wanted = contexts_.cells_used().value;
        for (const size_t tokens : shares) wanted += static_cast<int64_t>(tokens);
        if (wanted <= engine_.facts().cells.value || !free_some_room()) return shares;
    }
}

// One idle context, or the newest call. False: there is only one call left, and it fits alone.
bool Session::free_some_room() {
    if (Context* idle = contexts_.oldest_idle()) {
        drop_context(*idle);
        return true;
    }
    if (running_.size() <= 1) return false;
    CallPtr newest = std::move(running_.back());
    running_.pop_back();
    drop_context(*newest->context);
    newest->context = nullptr;
    newest->fed = 0;
    waiting_.push_front(std::move(newest));
    return true;
}

void Session::compute(const std::vector<size_t>& shares) {
    std::vector<BatchToken> batch;
    std::vector<int> rows(running_.size(), -1);  // where each call's next token is decided
    for (size_t i = 0; i < running_.size(); ++i) {
        const Call& call = *running_[i];
        for (size_t at = call.fed; at < call.fed + shares[i]; ++at) {
            const bool is_last = at + 1 == call.tokens().size();
            if (is_last) rows[i] = static_cast<int>(batch.size());
            batch.push_back(
                {call.tokens()[at], static_cast<int>(at), call.context->sequence, is_last});
        }
    }
    switch (engine_.decode(batch)) {
        case Decoded::kDone: break;
        case Decoded::kNoCells:
            // The ledger says it fits; a sliding-window pool may disagree. Less is tried next time.
            if (!free_some_room()) {
                fail_all({Code::kNoSpace, "the KV pool has no room for this call alone"},
                         "kv_full");
            }
            return;
        case Decoded::kFailed:
            return fail_all({Code::kInternal, "the engine failed to compute a batch"},
                            "engine_failed");
    }
    for (size_t i = 0; i < running_.size(); ++i) {
        Call& call = *running_[i];
        const auto begin = call.tokens().begin() + static_cast<std::ptrdiff_t>(call.fed);
        call.context->tokens.insert(call.context->tokens.end(), begin,
                                    begin + static_cast<std::ptrdiff_t>(shares[i]));
        call.fed += shares[i];
        const bool is_decoding = shares[i] == 1 && call.first_token_at != SteadyTime{};
        (is_decoding ? totals_.decode_tokens : totals_.prefill_tokens) += shares[i];
    }
    take_outputs(rows);
}

void Session::take_outputs(const std::vector<int>& rows) {
    const SteadyTime now = std::chrono::steady_clock::now();
    for (size_t i = 0; i < running_.size(); ++i) {
        if (rows[i] < 0) continue;
        Call& call = *running_[i];
        if (call.first_token_at == SteadyTime{}) call.first_token_at = now;
        auto reason = call.advance(rows[i], emit_);
        if (!reason) {
            emit_broken(call.id(), {reason.error(), "format_failed"});
            release(call);
        } else if (!reason->empty()) {
            end(call, *reason);
        }
    }
    std::erase_if(running_, [](const CallPtr& call) { return !call->context; });
}

// ---- the end of a call -------------------------------------------------------------------------

void Session::end(Call& call, std::string reason) {
    call.finish(std::move(reason), emit_);
    release(call);
}

// The context stays if it is somebody's.
void Session::release(Call& call) {
    Context& context = *std::exchange(call.context, nullptr);
    context.is_busy = false;
    contexts_.touch(context);
    if (context.key.empty()) drop_context(context);
}

void Session::fail_all(const Error& error, const std::string& reason) {
    for (const CallPtr& call : running_) emit_broken(call->id(), {error, reason});
    running_.clear();
    engine_.drop_all();
    contexts_ = ContextTable(engine_.facts().sequences);
}

void Session::emit_broken(uint64_t id, Refusal refusal) {
    emit_(wire::Broken{id, std::move(refusal.error), std::move(refusal.reason),
                       std::move(refusal.numbers)});
}

// ---- embeddings --------------------------------------------------------------------------------

void Session::embed(const wire::Generate& frame) {
    if (!engine_.facts().is_embedding) {
        return emit_broken(frame.id, {{Code::kInvalid, "this model makes text, not embeddings"},
                                      "not_an_embedding_model"});
    }
    auto request = parse_request(frame.kind, frame.body);
    if (!request) return emit_broken(frame.id, std::move(request).error());
    const SteadyTime start = std::chrono::steady_clock::now();
    wire::Finished done{.id = frame.id, .finish_reason = "stop"};
    done.embedding = nlohmann::json::array();
    for (const auto& input : request->inputs) {
        const auto* text = std::get_if<std::string>(&input);
        const std::vector<Token> tokens =
            text ? engine_.tokenize(*text) : std::get<std::vector<Token>>(input);
        if (auto fits = check_prompt(engine_, tokens); !fits) {
            return emit_broken(frame.id, std::move(fits).error());
        }
        auto vector = engine_.embed(tokens);
        if (!vector) return emit_broken(frame.id, {vector.error(), "engine_failed"});
        done.embedding.push_back(*std::move(vector));
        done.prompt += Tokens{static_cast<int64_t>(tokens.size())};
    }
    done.prefill = {std::chrono::duration_cast<std::chrono::milliseconds>(
                        std::chrono::steady_clock::now() - start)
                        .count()};
    totals_.prefill_tokens += static_cast<uint64_t>(done.prompt.value);
    emit_(done);
}

}  // namespace hotdesk::worker
