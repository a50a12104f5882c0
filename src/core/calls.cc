// SPDX-License-Identifier: MIT
#include "core/calls.h"

#include <algorithm>

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

// ---- calls that arrive -------------------------------------------------------------------------

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

CloseCall refusal(const Call& call, Instant now, Code code) {
    CloseCall word = last_word(call, CallOutcome::kRefused, code);
    if (call.phase == CallPhase::kRunning)
        word.ran = now - call.started;
    else
        word.waited = now - call.arrived;
    return word;
}

std::optional<Why> cannot_fit(const State& state, const Call& call, const Snapshot& seen) {
    auto spec = state.fleet.models.find(call.model);
    if (spec == state.fleet.models.end() || spec->second.placement == Placement::kHost ||
        !is_budget_known(state.fleet.policy, seen))
        return std::nullopt;
    Bytes need = spec->second.need.device, budget = desk_budget(state.fleet.policy, seen);
    if (need <= budget) return std::nullopt;
    return Why{Reason::kCannotFit, need.value, budget.value, call.model.value};
}

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

}  // namespace hotdesk
