// SPDX-License-Identifier: MIT
#include "core/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/line.h"
#include "core/router.h"

namespace hotdesk {
namespace {

// ---- calls that end ----------------------------------------------------------------------------

CloseCall last_word(const Call& call, CallOutcome outcome, Code code = Code::kInternal) {
    return {.call = call.id,
            .outcome = outcome,
            .code = code,
            .run = call.run,
            .agent = call.agent,
            .model = call.model,
            .waited = call.waited,
            .ran = call.ran,
            .prompt = call.prompt,
            .cached = call.cached,
            .completion = call.completion};
}

CloseCall refusal(const Call& call, Instant now, Code code) {
    CloseCall word = last_word(call, CallOutcome::kRefused, code);
    if (call.phase == CallPhase::kRunning)
        word.ran = now - call.started;
    else
        word.waited = now - call.arrived;
    return word;
}

Why ended_reason(const Call& call) {
    switch (call.outcome) {
        case CallOutcome::kDone: return {.reason = Reason::kAnswered};
        case CallOutcome::kCancelled: return {.reason = Reason::kClientGone};
        case CallOutcome::kFailed:
        case CallOutcome::kRefused: return {.reason = Reason::kWorkerRefused, .who = call.error};
    }
    return {};
}

// What a call that waits has been waiting for, in words a user can act on.
std::string blocker(const State& state, const Call& call, const Snapshot& seen) {
    auto worker = state.workers.find(call.model);
    if (call.phase == CallPhase::kArrived || worker == state.workers.end()) return "not routed yet";
    switch (worker->second.phase) {
        case WorkerPhase::kLoading: return call.model.value + " was still loading";
        case WorkerPhase::kUnloading: return call.model.value + " was being unloaded";
        case WorkerPhase::kReady: return "all slots of " + call.model.value + " were busy";
        case WorkerPhase::kAbsent: break;
    }
    if (state.desk.lease != LeasePhase::kHeld) return who_has_the_desk(state.desk);
    if (!is_budget_known(state.fleet.policy, seen))
        return "the device cannot be measured and [gpu] budget is not set";
    if (!worker->second.last_error.message.empty()) return worker->second.last_error.message;
    return "other models held the desk";
}

// The desk was not measured when the call was routed, or the config has changed since.
std::optional<Why> cannot_fit(const State& state, const Call& call, const Snapshot& seen) {
    auto spec = state.fleet.models.find(call.model);
    if (spec == state.fleet.models.end() || spec->second.placement == Placement::kHost ||
        !is_budget_known(state.fleet.policy, seen))
        return std::nullopt;
    Bytes need = spec->second.need.device, budget = desk_budget(state.fleet.policy, seen);
    if (need <= budget) return std::nullopt;
    return Why{Reason::kCannotFit, need.value, budget.value, call.model.value};
}

void end_waiting(const State& state, const Call& call, const Snapshot& seen, Draft& draft) {
    if (!state.fleet.models.contains(call.model))
        return draft.want(refusal(call, seen.now, Code::kNotFound),
                          {.reason = Reason::kNoSuchModel, .who = call.model.value});
    if (auto why = cannot_fit(state, call, seen))
        return draft.want(refusal(call, seen.now, Code::kNoSpace), *why);
    if (seen.now < call.deadline) return draft.look_again(call.deadline);
    Millis limit = call.deadline - call.arrived, waited = seen.now - call.arrived;
    draft.want(refusal(call, seen.now, Code::kTimeout),
               {Reason::kWaitOver, limit.value, waited.value, blocker(state, call, seen)});
}

void end_running(const State& state, const Call& call, const Snapshot& seen, Draft& draft) {
    Millis limit = state.fleet.policy.call_max, ran = seen.now - call.started;
    if (ran < limit) return draft.look_again(call.started + limit);
    draft.want(refusal(call, seen.now, Code::kTimeout), {Reason::kCallMax, limit.value, ran.value});
}

// ---- the desk ----------------------------------------------------------------------------------

// Decides for the models of one placement. Built for one decide(); `lines_` is kept up to date with
// what this pass starts, so that no slot is given twice.
class Scheduler {
  public:
    Scheduler(const State& state, const Snapshot& seen, Draft& draft)
        : state_(state), seen_(seen), draft_(draft), lines_(lines_of(state)) {
        for (auto& [model, line] : lines_)  // decide_call_ends has refused them
            std::erase_if(line.waiting, [&](const Call* call) {
                return seen.now >= call->deadline || cannot_fit(state, *call, seen);
            });
    }

    void decide() {
        admit();
        decide_stuck_workers();
        decide_failed_loads();
        decide_host_loads();
        decide_gate();
        decide_desk();
    }

  private:
    const Policy& policy() const { return state_.fleet.policy; }
    const ModelSpec* spec_of(const ModelName& model) const {
        auto it = state_.fleet.models.find(model);
        return it == state_.fleet.models.end() ? nullptr : &it->second;
    }
    bool on_desk(const ModelName& model) const {
        const ModelSpec* spec = spec_of(model);
        return spec && spec->placement == Placement::kDesk;
    }
    static bool is_on_desk(const Worker& worker) {
        return worker.phase != WorkerPhase::kAbsent && worker.spec.placement == Placement::kDesk;
    }

    // -- admission: a prefix of each loaded model's line

    bool passes_gate(const Worker& worker, const Call& call) const {
        bool gated = worker.spec.placement == Placement::kDesk && state_.desk.gate;
        return !gated || call.id <= state_.desk.gate;
    }
    bool is_leaving(const ModelName& model, const Worker& worker) const {
        const ModelSpec* spec = spec_of(model);
        return worker.evict_wanted || !spec || !host_alike(*spec, worker.spec);
    }
    void admit() {
        for (const auto& [model, worker] : state_.workers)
            if (worker.phase == WorkerPhase::kReady && !is_leaving(model, worker))
                admit_to(model, worker);
    }
    void admit_to(const ModelName& model, const Worker& worker) {
        Line& line = lines_[model];
        auto next = line.waiting.begin();
        for (; next != line.waiting.end() && line.running < worker.spec.slots; ++next) {
            if (!passes_gate(worker, **next)) break;
            Millis waited = seen_.now - (*next)->arrived;
            draft_.want(StartCall{(*next)->id, model},
                        {.reason = Reason::kHeadOfLine, .have = waited.value});
            ++line.running;
        }
        line.waiting.erase(line.waiting.begin(), next);
    }

    // -- workers that do not do what they were asked

    void decide_stuck_workers() {
        for (const auto& [model, worker] : state_.workers) {
            if (worker.phase == WorkerPhase::kUnloading && !worker.killing)
                kill_after(model, worker, policy().kill_grace, Reason::kKillGraceOver);
            if (worker.phase == WorkerPhase::kLoading)
                kill_after(model, worker, kLoadMax, Reason::kLoadStuck);
        }
    }
    void kill_after(const ModelName& model, const Worker& worker, Millis limit, Reason reason) {
        Millis since = seen_.now - worker.since;
        if (since < limit) return draft_.look_again(worker.since + limit);
        draft_.want(UnloadModel{model, true}, {reason, limit.value, since.value});
    }

    // -- loads that failed: try again, or tell the callers

    // A crash may have been anybody's, and memory may come back; a bad file stays bad.
    static bool is_worth_waiting(const Worker& worker) {
        if (worker.last_error.code == Code::kNoSpace) return worker.failures < kLoadFailuresMax;
        return worker.last_error.code == Code::kUnavailable && worker.failures < kCallAttemptsMax;
    }
    void decide_failed_loads() {
        for (const auto& [model, worker] : state_.workers) {
            if (worker.failures == 0 || worker.phase != WorkerPhase::kAbsent) continue;
            bool waits = is_worth_waiting(worker);
            if (!waits) refuse_line(model, worker);
            if (seen_.now >= worker.retry_at) continue;
            backing_off_.insert(model);
            if (waits) draft_.look_again(worker.retry_at);
        }
    }
    // Refuses the calls that the failed load was for and, until the next try, those after them.
    void refuse_line(const ModelName& model, const Worker& worker) {
        Millis left = worker.retry_at - seen_.now;
        std::erase_if(lines_[model].waiting, [&](const Call* call) {
            Why why{.reason = Reason::kLoadFailed, .who = worker.last_error.message};
            if (call->arrived > worker.since) why = {Reason::kLoadBackoff, left.value, 0, why.who};
            if (call->arrived > worker.since && left <= Millis{}) return false;
            draft_.want(refusal(*call, seen_.now, worker.last_error.code), std::move(why));
            return true;
        });
    }

    // -- models on the CPU: beside whatever has the desk, as far as RAM goes

    void decide_host_loads() {
        Bytes have = host_free();
        for (auto& [model, line] : lines_) {
            bool absent =
                spec_of(model) && !is_present(state_, model) && !backing_off_.contains(model);
            if (line.waiting.empty() || on_desk(model) || !absent) continue;
            Bytes need = spec_of(model)->need.host;
            if (need > have) {
                draft_.look_again(seen_.now + kProbeLagMax);
                continue;
            }
            draft_.want(LoadModel{model}, {Reason::kDemand, need.value, have.value});
            have -= need;
        }
    }
    // RAM that models may still take; unknown RAM does not hold a model back.
    Bytes host_free() const {
        if (!seen_.host_available || !seen_.host_total) return Bytes{INT64_MAX};
        Bytes by_ledger = *seen_.host_total - policy().host_reserve - held_by_workers(state_).host;
        return std::min(by_ledger, *seen_.host_available - policy().host_reserve);
    }

    // -- the gate

    // Who has waited longest for a desk that is not theirs: a call of a model that is not loaded,
    // or a program behind us in the line.
    struct Other {
        const Call* call = nullptr;  // null: a stranger
        Instant since;
        std::string who() const {
            return call ? fmt::format("call c-{} for {}", call->id.value, call->model.value)
                        : "another program";
        }
    };
    std::optional<Other> oldest_other() const {
        std::optional<Other> oldest;
        if (state_.desk.stranger_since) oldest = Other{nullptr, *state_.desk.stranger_since};
        if (const Call* call = oldest_unserved();
            call && (!oldest || call->arrived < oldest->since))
            oldest = Other{call, call->arrived};
        return oldest;
    }
    const Call* oldest_unserved() const {
        const Call* oldest = nullptr;
        for (const auto& [model, line] : lines_) {
            if (line.waiting.empty() || !on_desk(model)) continue;
            if (is_serving(model) || backing_off_.contains(model)) continue;
            if (!oldest || line.waiting.front()->id < oldest->id) oldest = line.waiting.front();
        }
        return oldest;
    }
    // Loaded, or about to be: its line is served without another decision.
    bool is_serving(const ModelName& model) const {
        const Worker& worker = state_.workers.at(model);
        if (worker.phase == WorkerPhase::kLoading) return true;
        return worker.phase == WorkerPhase::kReady && !is_leaving(model, worker);
    }
    void decide_gate() {
        auto other = oldest_other();
        bool closed = static_cast<bool>(state_.desk.gate);
        if (!other && closed) draft_.want(SetGate{}, {.reason = Reason::kGateOpen});
        if (!other || closed || state_.calls.empty()) return;
        Millis waited = seen_.now - other->since;
        if (waited >= policy().gate_age)
            draft_.want(SetGate{state_.calls.rbegin()->first},
                        {Reason::kGateAge, policy().gate_age.value, waited.value, other->who()});
        else
            draft_.look_again(other->since + policy().gate_age);
    }

    // -- loads and swaps under the lease

    void decide_desk() {
        auto other = oldest_other();
        if (!other) return;
        if (!other->call) return make_way_for_stranger(*other);
        if (state_.desk.lease == LeasePhase::kNone)
            return draft_.want(QueueForDesk{}, {.reason = Reason::kDemand, .who = other->who()});
        if (state_.desk.lease == LeasePhase::kHeld) load_or_make_room(*other->call);
    }

    void load_or_make_room(const Call& call) {
        if (!is_budget_known(policy(), seen_)) return;  // each look at the machine is a new chance
        Bytes need = spec_of(call.model)->need.device;
        Bytes free = desk_budget(policy(), seen_) - held_by_workers(state_).device;
        if (is_present(state_, call.model)) return;  // it is leaving and still has calls running
        if (anybody_moving()) return;  // one load or unload at a time; its end is an event
        if (need <= free)
            load_when_probe_agrees(call.model, need, free);
        else
            make_room({Reason::kMakeRoom, need.value, free.value, call.model.value}, need - free);
    }
    bool anybody_moving() const {
        return std::any_of(state_.workers.begin(), state_.workers.end(), [](const auto& entry) {
            const Worker& w = entry.second;
            return is_on_desk(w) &&
                   (w.phase == WorkerPhase::kLoading || w.phase == WorkerPhase::kUnloading);
        });
    }
    // The ledger has room. A probe that sees less is given time, since drivers free memory late;
    // then the ledger decides, and a load that fails after all is a failed load and no freeze.
    void load_when_probe_agrees(const ModelName& model, Bytes need, Bytes free) {
        bool probe_agrees = !seen_.device_free || *seen_.device_free >= need;
        Instant patience = std::max(state_.desk.freed_at, state_.desk.since) + kProbeLagMax;
        if (!probe_agrees && seen_.now < patience)
            return draft_.look_again(seen_.now + kProbeAgain);
        draft_.want(LoadModel{model}, {Reason::kDemand, need.value, free.value});
    }

    // Ready, with no call running and none that may still start.
    bool is_idle(const ModelName& model, const Worker& worker) const {
        if (worker.phase != WorkerPhase::kReady) return false;
        auto line = lines_.find(model);
        if (line == lines_.end()) return true;
        bool may_start = !line->second.waiting.empty() && !is_leaving(model, worker) &&
                         passes_gate(worker, *line->second.waiting.front());
        return line->second.running == 0 && !may_start;
    }
    // Unloads idle models, longest idle first, if that frees enough; half a swap helps nobody.
    void make_room(const Why& why, Bytes missing) {
        std::vector<std::pair<Instant, ModelName>> idle;
        for (const auto& [model, worker] : state_.workers)
            if (is_on_desk(worker) && is_idle(model, worker))
                idle.emplace_back(worker.idle_since, model);
        std::sort(idle.begin(), idle.end());
        Bytes freed;
        size_t count = 0;
        while (count < idle.size() && freed < missing)
            freed += state_.workers.at(idle[count++].second).held.device;
        if (freed < missing) return;
        for (size_t i = 0; i < count; ++i) unload(idle[i].second, why);
    }
    void unload(const ModelName& model, const Why& why) {
        if (!draft_.wants(UnloadModel{model})) draft_.want(UnloadModel{model}, why);
    }

    // -- another program waits for the desk, and has waited longer than any call of ours

    void make_way_for_stranger(const Other& stranger) {
        if (state_.desk.lease != LeasePhase::kHeld) return;
        Why why{Reason::kStrangerWaits, policy().gate_age.value,
                (seen_.now - stranger.since).value};
        bool empty = true;
        for (const auto& [model, worker] : state_.workers) {
            if (!is_on_desk(worker)) continue;
            empty = false;
            if (is_idle(model, worker)) unload(model, why);
        }
        if (empty && !draft_.wants(ReleaseDesk{})) draft_.want(ReleaseDesk{}, why);
    }

    const State& state_;
    const Snapshot& seen_;
    Draft& draft_;
    std::map<ModelName, Line> lines_;
    std::set<ModelName> backing_off_;  // not to be loaded before their retry_at
};

int waiting_calls(const State& state) {
    return static_cast<int>(
        std::count_if(state.calls.begin(), state.calls.end(),
                      [](const auto& entry) { return entry.second.phase == CallPhase::kWaiting; }));
}

// The task of the agent that calls, when the call names nothing.
std::string wanted_of(const State& state, const Call& call) {
    auto agent = state.fleet.agents.find(call.agent);
    bool names_nothing = call.wanted.empty() || call.wanted == "auto";
    if (!names_nothing || agent == state.fleet.agents.end() || agent->second.task.empty())
        return call.wanted;
    return "task:" + agent->second.task;
}

}  // namespace

void decide_call_ends(const State& state, const Snapshot& seen, Draft& draft) {
    for (const auto& [id, call] : state.calls) {
        switch (call.phase) {
            case CallPhase::kArrived: break;
            case CallPhase::kWaiting: end_waiting(state, call, seen, draft); break;
            case CallPhase::kRunning: end_running(state, call, seen, draft); break;
            case CallPhase::kLost:
                draft.want(last_word(call, CallOutcome::kRefused, Code::kUnavailable),
                           {Reason::kWorkerDied, kCallAttemptsMax, call.attempts, call.error});
                break;
            case CallPhase::kEnded:
                draft.want(last_word(call, call.outcome), ended_reason(call));
                break;
        }
    }
}

void decide_routes(const State& state, const Snapshot& seen, Draft& draft) {
    int waiting = waiting_calls(state);
    Footprint room = room_for_models(state.fleet.policy, seen);
    for (const auto& [id, call] : state.calls) {
        if (call.phase != CallPhase::kArrived) continue;
        if (state.draining) {
            draft.want(refusal(call, seen.now, Code::kUnavailable), {.reason = Reason::kDraining});
            continue;
        }
        auto answer = route(state.fleet, wanted_of(state, call), room);
        if (const auto* none = std::get_if<NoRoute>(&answer)) {
            draft.want(refusal(call, seen.now, none->code), none->why);
        } else if (waiting >= state.fleet.policy.waiting_max) {
            draft.want(refusal(call, seen.now, Code::kBusy), {Reason::kQueueFull, 1, waiting});
        } else {
            ++waiting;
            draft.want(RouteCall{id, std::get<Route>(answer).model}, std::get<Route>(answer).why);
        }
    }
}

void decide_calls(const State& state, const Snapshot& seen, Draft& draft) {
    Scheduler(state, seen, draft).decide();
}

}  // namespace hotdesk
