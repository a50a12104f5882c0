// SPDX-License-Identifier: MIT
#include "core/fleet.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace hotdesk {
namespace {

constexpr int kTryAgain = 75;    // EX_TEMPFAIL of sysexits.h
constexpr int kTimeLimit = 124;  // as timeout(1) and `hotdesk lease run --max-hold` answer

bool is_alive(const Run& run) {
    return run.phase != RunPhase::kEnded;
}

// ---- runs that have to end ---------------------------------------------------------------------

// A run that holds the desk itself has its timeout from there on, and `hotdesk lease run` ends it.
// A command that was alive for less has answered 124 of its own accord.
std::optional<Millis> outstayed(const State& state, const Run& run) {
    const auto found = state.fleet.agents.find(run.agent);
    if (found == state.fleet.agents.end()) return std::nullopt;
    const AgentSpec& agent = found->second;
    const Millis alive = run.phase_since - run.started;
    const bool is_over =
        agent.gpu == GpuUse::kRun && run.exit_code == kTimeLimit && alive >= agent.timeout;
    return is_over ? std::optional(agent.timeout) : std::nullopt;
}

Why closing_reason(const State& state, const Run& run) {
    if (run.ends_as == Outcome::kTimedOut)
        return {Reason::kRunTimeout, run.timeout.value, run.timeout.value};
    if (!run.error.empty()) return {.reason = Reason::kNotStarted, .who = run.error};
    if (const auto timeout = outstayed(state, run))
        return {Reason::kRunTimeout, timeout->value, timeout->value};
    return {.reason = Reason::kExited, .have = run.exit_code};
}

void close(const State& state, const Run& run, Draft& draft) {
    Millis alive = run.phase_since - run.started;
    draft.want(CloseRun{.run = run.id,
                        .agent = run.agent,
                        .outcome = outcome_of(run),
                        .exit_code = run.exit_code,
                        .ran = alive - run.waited,
                        .waited = run.waited},
               closing_reason(state, run));
}

// The timeout of a run counts run time only; a call in the queue stops its clock.
void stop_if_over(const Run& run, const Snapshot& seen, Draft& draft) {
    if (run.unwanted) return draft.want(StopRun{run.id}, {.reason = Reason::kAskedFor});
    if (run.calls_waiting > 0 || run.timeout == Millis{}) return;
    Millis ran = seen.now - run.started - run.waited;
    if (ran >= run.timeout)
        draft.want(StopRun{run.id}, {Reason::kRunTimeout, run.timeout.value, ran.value});
    else
        draft.look_again(seen.now + (run.timeout - ran));
}

void kill_if_stubborn(const Run& run, const State& state, const Snapshot& seen, Draft& draft) {
    Millis grace = state.fleet.policy.kill_grace;
    Millis asked = seen.now - run.phase_since;
    if (asked >= grace)
        draft.want(StopRun{run.id, true}, {Reason::kKillGraceOver, grace.value, asked.value});
    else
        draft.look_again(run.phase_since + grace);
}

void decide_ends(const State& state, const Snapshot& seen, Draft& draft) {
    for (const auto& [id, run] : state.runs) {
        switch (run.phase) {
            case RunPhase::kStarting:
            case RunPhase::kKilling: break;  // the executor answers
            case RunPhase::kRunning: stop_if_over(run, seen, draft); break;
            case RunPhase::kTerminating: kill_if_stubborn(run, state, seen, draft); break;
            case RunPhase::kEnded: close(state, run, draft); break;
        }
    }
}

// ---- firings -----------------------------------------------------------------------------------

// Starts runs while there is room, at most one of each agent, with ids in order.
class Starter {
  public:
    Starter(const State& state, const Snapshot& seen, Draft& draft)
        : state_(state), seen_(seen), draft_(draft), next_(state.next_run) {
        for (const auto& [id, run] : state.runs) alive_ += is_alive(run) ? 1 : 0;
        last_catch_up_ = state.last_catch_up;
    }

    bool has_room() const { return alive_ < state_.fleet.policy.runs_max; }

    void decide_asked(const AgentName& name, const AgentState& agent) {
        if (agent.asked.empty() || busy(name, agent) || !has_room()) return;
        const auto& [reserved, at] = agent.asked.front();
        const RunId run = reserved ? reserved : take_id();
        start({run, name, at, Trigger::kManual}, {.reason = Reason::kAskedFor});
    }

    void decide_held(const AgentName& name, const AgentState& agent) {
        const AgentSpec& spec = state_.fleet.agents.at(name);
        bool paused = is_paused(spec, agent);
        bool only_latest = spec.overlap == Overlap::kLatest;
        for (const Wall& due : agent.held) {
            bool is_latest = &due == &agent.held.back();
            SkipFirings one{.agent = name, .first = due, .last = due};
            if (paused)
                skip(one, paused_why(name));
            else if (only_latest && !is_latest)
                skip(one, {.reason = Reason::kSuperseded});
            else if (!busy(name, agent) && has_room())  // busy from the first that starts
                start({take_id(), name, due, Trigger::kSchedule}, {.reason = Reason::kDue});
        }
    }

    // The start time of the agent's next firing has come.
    void decide_due(const AgentName& name, Wall start_at) {
        const AgentState& agent = state_.agents.at(name);
        Millis late = seen_.wall - start_at;
        bool may_wait = late <= state_.fleet.policy.late_after;
        const AgentSpec& spec = state_.fleet.agents.at(name);
        Wall due = *agent.next_due;
        if (is_paused(spec, agent)) return skip(all_due(spec, due), paused_why(name));
        if (started_.contains(name)) return;  // one that was held; the next round sees it
        if (may_wait && !has_room() && !busy(name, agent)) return;  // the end of a run is an event
        if (passed_over(spec, due)) return;
        if (late > state_.fleet.policy.late_after) return decide_late(spec, due, late);
        decide_on_time(spec, due, Trigger::kSchedule, {.reason = Reason::kDue});
    }

  private:
    bool busy(const AgentName& name, const AgentState& agent) const {
        return agent.run || started_.contains(name);
    }
    bool is_paused(const AgentSpec& spec, const AgentState& agent) const {
        return state_.paused || agent.paused || spec.paused;
    }
    Wall start_of(const AgentSpec& spec, Wall due) const {
        return hotdesk::start_of(state_.fleet.policy, spec, state_.agents.at(spec.name), due);
    }
    Why paused_why(const AgentName& name) const {
        return {.reason = Reason::kPaused, .who = state_.paused ? "the fleet" : name.value};
    }

    void skip(SkipFirings firings, Why why) { draft_.want(std::move(firings), std::move(why)); }

    // The history keeps one number for each agent: the latest firing that was answered. So whatever
    // is held is older and is answered first, or a daemon that dies now would never come back to
    // it.
    void skip_due(const SkipFirings& firings, const Why& why) {
        for (const Wall& held : state_.agents.at(firings.agent).held)
            skip({.agent = firings.agent, .first = held, .last = held, .outcome = firings.outcome},
                 why);
        skip(firings, why);
    }

    // Several firings are due at once (the daemon was down, or there was no room): all but the
    // latest are missed. Returns: whether there were any; the latest has its turn after that.
    bool passed_over(const AgentSpec& spec, Wall due) {
        SkipFirings missed{
            .agent = spec.name, .first = due, .last = due, .count = 0, .outcome = Outcome::kMissed};
        Wall latest = due;
        while (auto next = next_due(spec, latest, missed.count)) {
            missed.last = latest;
            ++missed.count;
            latest = *next;
        }
        if (missed.count == 0) return false;
        int64_t most = state_.fleet.policy.runs_max;
        skip_due(missed,
                 has_room() ? Why{.reason = Reason::kSuperseded} : Why{Reason::kRunsFull, 1, most});
        return true;
    }
    // From `due` to the last one that has come.
    SkipFirings all_due(const AgentSpec& spec, Wall due) const {
        SkipFirings all{.agent = spec.name, .first = due, .last = due};
        while (auto next = next_due(spec, all.last, all.count)) {
            all.last = *next;
            ++all.count;
        }
        return all;
    }
    // The firing after `due`, if its start has come too and not too many are counted already.
    std::optional<Wall> next_due(const AgentSpec& spec, Wall due, int64_t counted) const {
        if (counted >= kMissedFiringsMax) return std::nullopt;
        auto next = next_firing(spec.schedule, spec.zone, due);
        if (next && start_of(spec, *next) <= seen_.wall) return next;
        return std::nullopt;
    }

    void decide_late(const AgentSpec& spec, Wall due, Millis late) {
        SkipFirings missed{
            .agent = spec.name, .first = due, .last = due, .outcome = Outcome::kMissed};
        if (spec.catch_up == CatchUp::kSkip)
            return skip_due(missed, {.reason = Reason::kCatchUpOff});
        if (late > spec.grace)
            return skip_due(missed, {Reason::kTooLate, spec.grace.value, late.value});
        Instant free_at = last_catch_up_ + kCatchUpSpacing;
        if (seen_.now < free_at) return draft_.look_again(free_at);
        if (decide_on_time(spec, due, Trigger::kCatchUp,
                           {Reason::kCatchUp, spec.grace.value, late.value}))
            last_catch_up_ = seen_.now;
    }

    // Returns: whether a run was started.
    bool decide_on_time(const AgentSpec& spec, Wall due, Trigger trigger, Why why) {
        const AgentState& agent = state_.agents.at(spec.name);
        if (busy(spec.name, agent)) {
            overlap(spec, agent, due);
            return false;
        }
        if (!has_room()) return false;  // still due; the end of a run is an event
        start({take_id(), spec.name, due, trigger}, std::move(why));
        return true;
    }

    void overlap(const AgentSpec& spec, const AgentState& agent, Wall due) {
        RunId before = agent.run ? agent.run : next_;
        Why why{Reason::kOverlap, 1, static_cast<int64_t>(before.value)};
        if (spec.overlap == Overlap::kSkip)
            return skip_due({.agent = spec.name, .first = due, .last = due}, why);
        if (spec.overlap == Overlap::kQueue && agent.held.size() >= kHeldFiringsMax)
            skip({.agent = spec.name, .first = agent.held.front(), .last = agent.held.front()},
                 why);
        draft_.want(HoldFiring{spec.name, due}, why);
    }

    RunId take_id() { return {next_.value++}; }

    void start(StartRun run, Why why) {
        started_.insert(run.agent);
        ++alive_;
        draft_.want(std::move(run), std::move(why));
    }

    const State& state_;
    const Snapshot& seen_;
    Draft& draft_;
    RunId next_;
    int alive_ = 0;
    Instant last_catch_up_;
    std::set<AgentName> started_;
};

constexpr int kShares = 10'000;

// FNV-1a, so that the share is the same on every machine and compiler.
uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

void decide_runs(const State& state, const Snapshot& seen, Draft& draft) {
    decide_ends(state, seen, draft);
    if (state.draining) return;  // firings stay due for the next daemon
    Starter starter(state, seen, draft);
    for (const AgentName& name : state.pending) {
        const AgentState& agent = state.agents.at(name);
        starter.decide_asked(name, agent);
        starter.decide_held(name, agent);
    }
    const auto future = state.due.lower_bound({seen.wall + Millis{1}, {}});
    int undecided = 0;
    for (auto due = state.due.begin(); due != future && undecided < kUndecidedMax; ++due) {
        size_t before = draft.count();
        starter.decide_due(due->second, due->first);
        if (draft.count() > before) continue;
        if (++undecided >= kUndecidedFull && !starter.has_room()) break;
    }
    if (future != state.due.end()) draft.look_again(future->first);
}

Wall start_of(const Policy& policy, const AgentSpec& agent, const AgentState& state, Wall due) {
    auto after = next_firing(agent.schedule, agent.zone, due);
    Millis window = policy.stagger;
    if (after) window = std::min(window, (*after - due) / 10);
    return due + window * state.share / kShares;
}

int share_of(const AgentName& name, int rank, int models) {
    int own = static_cast<int>(hash_of(name.value) % kShares);
    return (rank * kShares + own) / models;
}

ModelName home_of(const Fleet& fleet, const AgentSpec& agent) {
    auto task = fleet.tasks.find(agent.task);
    if (task == fleet.tasks.end()) return {};
    for (const ModelName& model : task->second)
        if (fleet.models.at(model).unusable.empty()) return model;
    return {};
}

Outcome outcome_of(const Run& run) {
    if (run.ends_as) return *run.ends_as;
    if (!run.error.empty()) return Outcome::kFailed;
    switch (run.exit_code) {
        case 0: return Outcome::kDone;
        case kTryAgain: return Outcome::kSkipped;
        case kTimeLimit: return Outcome::kTimedOut;
        default: return Outcome::kFailed;
    }
}

}  // namespace hotdesk
