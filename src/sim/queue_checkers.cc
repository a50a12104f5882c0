// SPDX-License-Identifier: MIT
#include "sim/queue_checkers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "core/limits.h"
#include "core/pace.h"

namespace hotdesk::sim {
namespace {

bool is_desk_model(const State& state, const ModelName& model) {
    auto spec = state.fleet.models.find(model);
    return spec != state.fleet.models.end() && is_on_desk(spec->second);
}

// Loading, or loaded and not about to leave.
bool is_serving(const State& state, const ModelName& model) {
    const Worker& worker = state.workers.at(model);
    if (worker.phase == WorkerPhase::kLoading) return true;
    return worker.phase == WorkerPhase::kReady && !worker.evict_wanted &&
           host_alike(worker.spec, state.fleet.models.at(model));
}

// Waits for a model of the desk that is not there. A model whose load failed is waited for too, but
// its calls are not in anybody's way.
bool waits_elsewhere(const State& state, const Call& call) {
    return call.phase == CallPhase::kWaiting && is_desk_model(state, call.model) &&
           !is_serving(state, call.model) && state.workers.at(call.model).failures == 0;
}
const Call* oldest_elsewhere(const State& state) {
    for (const auto& [id, call] : state.calls)
        if (waits_elsewhere(state, call)) return &call;
    return nullptr;
}

bool is_anybody_moving(const State& state) {
    return std::any_of(state.workers.begin(), state.workers.end(), [](const auto& entry) {
        const Worker& w = entry.second;
        return is_on_desk(w.spec) &&
               (w.phase == WorkerPhase::kLoading || w.phase == WorkerPhase::kUnloading);
    });
}

}  // namespace

// ---- lease_is_fifo -----------------------------------------------------------------------------

Violation LeaseIsFifo::granted(uint64_t ticket) {
    if (ticket <= last_) return fmt::format("ticket {} is served after ticket {}", ticket, last_);
    last_ = ticket;
    return std::nullopt;
}

// ---- gate_closes_in_time -----------------------------------------------------------------------

Violation gate_closes_in_time(const Rest& rest) {
    const State& state = rest.state;
    if (state.desk.gate || state.fleet.policy.queue == QueuePolicy::kFifo) return std::nullopt;
    const Call* oldest = oldest_elsewhere(state);
    if (!oldest || is_anybody_moving(state)) return std::nullopt;
    Millis age = gate_age_of(state), waited = rest.seen.now - oldest->arrived;
    if (waited < age) return std::nullopt;
    return fmt::format("the gate is open and call {} has waited {} for {}", oldest->id.value,
                       format_duration(waited), oldest->model.value);
}

// ---- gate_holds --------------------------------------------------------------------------------

Violation GateHolds::see(const Turn& turn) {
    for (const Decision& decision : turn.cycle.decisions) {
        Violation violation;
        if (const auto* gate = std::get_if<SetGate>(&decision.action)) violation = set(*gate, turn);
        if (const auto* call = std::get_if<StartCall>(&decision.action))
            violation = start(*call, turn);
        const auto* load = std::get_if<LoadModel>(&decision.action);
        bool swaps = load && is_desk_model(turn.state, load->model);
        if (swaps || std::holds_alternative<ReleaseDesk>(decision.action)) gate_ = {};
        if (violation) return violation;
    }
    return std::nullopt;
}

Violation GateHolds::set(const SetGate& gate, const Turn& turn) {
    bool opens = !gate.through;
    gate_ = gate.through;
    since_ = turn.cycle.seen.now;
    // What is unloaded in the same turn makes its own line wait, after the gate has opened.
    if (!opens || !decided<UnloadModel>(turn).empty()) return std::nullopt;
    const Call* other = oldest_elsewhere(turn.state);
    if (!other) return std::nullopt;
    return fmt::format("the gate opens while call {} waits for {}", other->id.value,
                       other->model.value);
}

Violation GateHolds::start(const StartCall& start, const Turn& turn) const {
    if (!gate_ || !is_desk_model(turn.state, start.model)) return std::nullopt;
    if (start.call > gate_)
        return fmt::format("call {} starts behind the gate at {}", start.call.value, gate_.value);
    Millis visit = turn.cycle.seen.now - since_;
    if (visit >= turn.state.fleet.policy.visit_max)
        return fmt::format("call {} starts {} after the gate has closed", start.call.value,
                           format_duration(visit));
    return std::nullopt;
}

// ---- every_load_serves -------------------------------------------------------------------------

Violation EveryLoadServes::see(const Turn& turn) {
    for (const Event& event : turn.cycle.events)
        if (const auto* gone = std::get_if<WorkerGone>(&event)) awaited_.erase(gone->model);
    for (const Decision& decision : turn.cycle.decisions) {
        Violation violation;
        if (const auto* load = std::get_if<LoadModel>(&decision.action))
            violation = loaded(*load, decision.why, turn);
        if (const auto* start = std::get_if<StartCall>(&decision.action))
            awaited_.erase(start->model);
        if (const auto* unload = std::get_if<UnloadModel>(&decision.action))
            violation = unloaded(*unload, decision.why, turn);
        if (violation) return violation;
    }
    return std::nullopt;
}

Violation EveryLoadServes::loaded(const LoadModel& load, const Why& why, const Turn& turn) {
    if (why.reason != Reason::kPreload) {
        // In strict FIFO a load is for the oldest call alone: when that hangs up meanwhile,
        // somebody of another model may be next.
        bool is_for_one = turn.state.fleet.policy.queue == QueuePolicy::kFifo;
        std::set<CallId>& awaited = awaited_[load.model];
        for (const auto& [id, call] : turn.state.calls)
            if (call.phase == CallPhase::kWaiting && call.model == load.model &&
                !(is_for_one && !awaited.empty()))
                awaited.insert(id);
        return std::nullopt;
    }
    Wall start{why.have};
    if (preloaded_for_ && start <= *preloaded_for_)
        return fmt::format("{} is loaded ahead of {}, and so was a model for {}", load.model.value,
                           start.ms, preloaded_for_->ms);
    preloaded_for_ = start;
    if (const Call* other = oldest_elsewhere(turn.state))
        return fmt::format("{} is loaded ahead while call {} waits for {}", load.model.value,
                           other->id.value, other->model.value);
    return std::nullopt;
}

Violation EveryLoadServes::unloaded(const UnloadModel& unload, const Why& why, const Turn& turn) {
    constexpr Reason kForced[] = {Reason::kEvictAsked, Reason::kReloaded, Reason::kLoadStuck,
                                  Reason::kKillGraceOver};
    auto waits = [&](CallId id) {
        auto call = turn.state.calls.find(id);
        return call != turn.state.calls.end() && call->second.phase == CallPhase::kWaiting;
    };
    if (std::find(std::begin(kForced), std::end(kForced), why.reason) != std::end(kForced)) {
        awaited_.erase(unload.model);
        return std::nullopt;
    }
    if (why.reason == Reason::kPreload)
        for (const auto& [id, call] : turn.state.calls)
            if (waits(id) && call.model == unload.model)
                return fmt::format("{} makes room for a load ahead while call {} waits for it",
                                   unload.model.value, id.value);
    auto awaited = awaited_.find(unload.model);
    if (awaited == awaited_.end()) return std::nullopt;
    for (CallId id : awaited->second)
        if (waits(id))
            return fmt::format(
                "{} is unloaded ({}), and call {}, for which it was loaded, still waits",
                unload.model.value, explain(why), id.value);
    awaited_.erase(awaited);
    return std::nullopt;
}

void EveryLoadServes::daemon_died() {
    awaited_.clear();
    preloaded_for_.reset();
}

// ---- wait_is_bounded ---------------------------------------------------------------------------

namespace {

int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

// The news from one part of the machine to the other, for each load and in all.
constexpr Millis kNews{100};

}  // namespace

bool WaitIsBounded::voids(const Event& event) const {
    if (const auto* gone = std::get_if<WorkerGone>(&event))
        return gone->crashed || !gone->error.message.empty();
    return std::holds_alternative<StrangerWaits>(event) ||
           std::holds_alternative<EvictWanted>(event) ||
           (std::holds_alternative<Configured>(event) && configured_ > 0);
}

bool WaitIsBounded::voids(const Turn& turn) const {
    if (turn.state.fleet.policy.queue == QueuePolicy::kFifo || turn.truth.desk_is_strangers)
        return true;
    Bytes taken;
    for (const auto& [name, worker] : turn.truth.workers) taken += worker.spec.need.device;
    const auto& free = turn.cycle.seen.device_free;
    if (!free || *free + taken < turn.truth.device_total) return true;
    return std::any_of(turn.cycle.events.begin(), turn.cycle.events.end(),
                       [this](const Event& event) { return voids(event); });
}

// How long loads and unloads take.
void WaitIsBounded::time(const Turn& turn) {
    Instant now = turn.cycle.seen.now;
    for (const Event& event : turn.cycle.events) {
        if (const auto* ready = std::get_if<WorkerReady>(&event)) {
            OfModel& model = models_[ready->model];
            model.load = std::max(model.load, now - model.moving_since);
        }
        if (const auto* gone = std::get_if<WorkerGone>(&event)) {
            OfModel& model = models_[gone->model];
            model.unload = std::max(model.unload, now - model.moving_since);
        }
        if (std::holds_alternative<Configured>(event)) ++configured_;
    }
    for (const LoadModel* load : decided<LoadModel>(turn)) models_[load->model].moving_since = now;
    for (const UnloadModel* unload : decided<UnloadModel>(turn))
        if (!unload->hard) models_[unload->model].moving_since = now;
}

// How long calls take, and how many there are.
void WaitIsBounded::count(const Turn& turn) {
    Instant now = turn.cycle.seen.now;
    std::map<ModelName, int64_t> crowds;
    for (const CloseCall* close : decided<CloseCall>(turn)) {
        if (is_desk_model(turn.state, close->model))
            longest_call_ = std::max(longest_call_, close->ran);
        ++crowds[close->model];
    }
    for (const auto& [id, call] : turn.state.calls) {
        ++crowds[call.model];
        models_[call.model].size = std::max(models_[call.model].size, call.size);
        if (call.phase == CallPhase::kRunning && is_desk_model(turn.state, call.model))
            longest_call_ = std::max(longest_call_, now - call.started);
    }
    for (const auto& [name, crowd] : crowds)
        models_[name].crowd = std::max(models_[name].crowd, crowd);
    gate_age_ = std::max(gate_age_, gate_age_of(turn.state));
}

namespace {

// As many calls as fit beside each other whatever their contexts are.
int64_t slots_of(const ModelSpec& spec, Tokens largest) {
    return std::clamp<int64_t>(spec.context.value / std::max<int64_t>(largest.value, 1), 1,
                               std::max(spec.slots, 1));
}

}  // namespace

Millis WaitIsBounded::bound(const State& state) const {
    const Millis visit_max = state.fleet.policy.visit_max;
    const int64_t turns = ceil_div(std::max(visit_max, Millis{1}).value, longest_call_.value);
    Millis longest_visit, longest_load, unload;
    for (const auto& [name, model] : models_) {
        if (!is_desk_model(state, name)) continue;
        const int64_t slots = slots_of(state.fleet.models.at(name), model.size);
        Millis all = longest_call_ * ceil_div(model.crowd, slots);
        longest_visit = std::max(longest_visit, std::min(visit_max + longest_call_, all));
        longest_load = std::max(longest_load, model.load);
        unload = std::max(unload, model.unload);
    }
    Millis bound = gate_age_ + unload + longest_load + longest_visit + kNews;
    for (const auto& [name, model] : models_) {
        if (!is_desk_model(state, name)) continue;
        const int64_t slots = slots_of(state.fleet.models.at(name), model.size);
        Millis once = unload + model.load + longest_visit + kNews;
        bound += once * ceil_div(model.crowd, slots * turns);
    }
    return bound;
}

Violation WaitIsBounded::see(const Turn& turn) {
    is_void_ = is_void_ || voids(turn);
    if (is_void_) return std::nullopt;
    time(turn);
    count(turn);
    auto too_long = [&](CallId id, const ModelName& model, Millis waited) -> Violation {
        if (!is_desk_model(turn.state, model)) return std::nullopt;
        Millis most = bound(turn.state);
        if (waited <= most) return std::nullopt;
        return fmt::format("call {} of {} has waited {}, and the bound is {}", id.value,
                           model.value, format_duration(waited), format_duration(most));
    };
    for (const StartCall* start : decided<StartCall>(turn)) {
        auto call = turn.state.calls.find(start->call);
        if (call == turn.state.calls.end()) continue;
        if (auto violation = too_long(start->call, start->model, call->second.waited))
            return violation;
    }
    for (const CloseCall* close : decided<CloseCall>(turn))
        if (auto violation = too_long(close->call, close->model, close->waited)) return violation;
    return std::nullopt;
}

}  // namespace hotdesk::sim
