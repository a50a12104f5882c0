// SPDX-License-Identifier: MIT
#include "sim/checkers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/cron.h"
#include "core/fleet.h"
#include "core/limits.h"
#include "core/line.h"
#include "core/pace.h"
#include "core/router.h"
#include "core/step.h"

namespace hotdesk::sim {
namespace {

template <class A>
std::vector<const A*> decided(const Turn& turn) {
    std::vector<const A*> found;
    for (const Decision& decision : turn.cycle.decisions)
        if (const A* action = std::get_if<A>(&decision.action)) found.push_back(action);
    return found;
}

bool is_on_desk(const ModelSpec& spec) {
    return spec.placement == Placement::kDesk;
}

}  // namespace

// ---- checkers of a single turn -----------------------------------------------------------------

Violation one_lease_owner(const Turn& turn) {
    if (turn.truth.desk_is_ours && turn.truth.desk_is_strangers) return "the desk has two owners";
    bool released = !decided<ReleaseDesk>(turn).empty();
    for (const auto& [name, worker] : turn.truth.workers) {
        if (!is_on_desk(worker.spec)) continue;
        if (!turn.truth.desk_is_ours) return name.value + " is on a desk that is not ours";
        if (released) return name.value + " is still on the desk that is released";
    }
    for (const LoadModel* load : decided<LoadModel>(turn))
        if (is_on_desk(turn.state.fleet.models.at(load->model)) && !turn.truth.desk_is_ours)
            return load->model.value + " is loaded on a desk that is not ours";
    return std::nullopt;
}

Violation device_never_overcommitted(const Turn& turn) {
    const Policy& policy = turn.state.fleet.policy;
    Footprint planned;
    auto add = [&](const ModelSpec& spec) {
        planned.device += spec.need.device;
        planned.host += spec.need.host;
    };
    for (const auto& [name, worker] : turn.truth.workers) add(worker.spec);
    for (const LoadModel* load : decided<LoadModel>(turn))
        add(turn.state.fleet.models.at(load->model));
    Bytes device = desk_budget(policy, {.device_total = turn.truth.device_total});
    Bytes host = turn.truth.host_total - policy.host_reserve;
    if (planned.device > device)
        return fmt::format("{} planned on a desk of {}", format_bytes(planned.device),
                           format_bytes(device));
    if (planned.host > host)
        return fmt::format("{} planned in {} of RAM", format_bytes(planned.host),
                           format_bytes(host));
    return std::nullopt;
}

Violation model_line_is_fifo(const Turn& turn) {
    Instant old = turn.cycle.seen.now - gate_age_of(turn.state);
    for (const StartCall* start : decided<StartCall>(turn)) {
        auto started = turn.state.calls.find(start->call);
        if (started == turn.state.calls.end()) continue;
        for (const auto& [id, call] : turn.state.calls) {
            bool waits = call.model == start->model && call.phase == CallPhase::kWaiting;
            bool may_be_overtaken = started->second.priority > call.priority &&
                                    call.arrived > old &&
                                    turn.state.fleet.policy.queue == QueuePolicy::kGba;
            if (id < start->call && waits && !may_be_overtaken)
                return fmt::format("call {} of {} starts before call {}", start->call.value,
                                   start->model.value, id.value);
        }
    }
    return std::nullopt;
}

Violation no_call_cut_by_swap(const Turn& turn) {
    for (const UnloadModel* unload : decided<UnloadModel>(turn)) {
        auto worker = turn.truth.workers.find(unload->model);
        if (worker != turn.truth.workers.end() && worker->second.running > 0)
            return fmt::format("{} is unloaded under {} running calls", unload->model.value,
                               worker->second.running);
    }
    return std::nullopt;
}

Violation no_model_loaded_twice(const Turn& turn) {
    for (const LoadModel* load : decided<LoadModel>(turn))
        if (turn.truth.workers.contains(load->model))
            return load->model.value + " is loaded while it has a worker";
    return std::nullopt;
}

// ---- checkers of a settled state ---------------------------------------------------------------

namespace {

bool nobody_on_desk(const State& state, const std::map<ModelName, Line>& lines) {
    return std::none_of(state.workers.begin(), state.workers.end(), [&](const auto& entry) {
        const auto& [name, worker] = entry;
        auto line = lines.find(name);
        bool moving =
            worker.phase == WorkerPhase::kLoading || worker.phase == WorkerPhase::kUnloading;
        bool busy = line != lines.end() && line->second.running > 0;
        return is_on_desk(worker.spec) && (moving || busy);
    });
}

// Backing off after a failed load, or giving the driver time to free memory: a pause with an end.
bool pauses(const Rest& rest, const Worker& worker) {
    const Desk& desk = rest.state.desk;
    Instant patience = std::max(desk.freed_at, desk.since) + kProbeLagMax;
    bool soon = rest.alarm.at <= std::max(patience, worker.retry_at) + kProbeAgain;
    return (worker.retry_at > rest.seen.now || patience > rest.seen.now) && soon;
}

ServiceOrder order_of(const Rest& rest) {
    return {rest.state.fleet.policy.queue, rest.seen.now - gate_age_of(rest.state)};
}
const Call& head_of(const Rest& rest, const Line& line) {
    return **std::min_element(line.waiting.begin(), line.waiting.end(), order_of(rest));
}

Violation left_behind(const Rest& rest, const ModelName& model, const Line& line) {
    const Worker& worker = rest.state.workers.at(model);
    const Call& head = head_of(rest, line);
    bool has_slot = worker.phase == WorkerPhase::kReady && has_room(worker.spec, line, head);
    bool is_gated = rest.state.desk.gate || rest.state.fleet.policy.queue == QueuePolicy::kFifo;
    if (has_slot && !is_gated && !worker.evict_wanted &&
        rest.state.fleet.models.at(model) == worker.spec)
        return fmt::format("call {} waits for {}, which has a free slot", head.id.value,
                           model.value);
    return std::nullopt;
}

// A model on the desk is idle and is kept a little for its own callers: not longer than hold, or
// than linger while a run of it is in a tool call, and never once the call has waited gate_age.
bool is_kept_for_its_own(const Rest& rest, const Call& call) {
    if (call.priority == Priority::kInteractive) return false;
    Instant now = rest.seen.now, until = call.arrived + hold_of(rest.state, call.model);
    for (const auto& [name, worker] : rest.state.workers) {
        if (worker.phase != WorkerPhase::kReady || !is_on_desk(worker.spec)) continue;
        if (runs_in_tool_call(rest.state, name) > 0)
            until = std::max(until, worker.idle_since + linger_of(rest.state, name, call.model));
    }
    until = std::min(until, call.arrived + gate_age_of(rest.state));
    return now < until && rest.alarm.at <= until;
}

}  // namespace

Violation progress_or_idle(const Rest& rest) {
    auto lines = lines_of(rest.state);
    bool desk_is_free =
        nobody_on_desk(rest.state, lines) && rest.state.desk.lease != LeasePhase::kQueued &&
        is_budget_known(rest.state.fleet.policy, rest.seen) && !rest.state.desk.stranger_since;
    bool somebody_pauses = false;
    const Call* next = nullptr;
    for (const auto& [model, line] : lines) {
        if (line.waiting.empty()) continue;
        if (auto violation = left_behind(rest, model, line)) return violation;
        if (!is_on_desk(rest.state.fleet.models.at(model))) continue;
        somebody_pauses = somebody_pauses || pauses(rest, rest.state.workers.at(model));
        const Call& head = head_of(rest, line);
        if (!next || order_of(rest)(head, *next)) next = &head;
    }
    if (!next || !desk_is_free || somebody_pauses || is_kept_for_its_own(rest, *next))
        return std::nullopt;
    const Worker& worker = rest.state.workers.at(next->model);
    return fmt::format(
        "call {} waits for {} and nobody is on the desk (worker phase {}, {} failures, "
        "gate {}, alarm in {})",
        next->id.value, next->model.value, static_cast<int>(worker.phase), worker.failures,
        rest.state.desk.gate.value, format_duration(rest.alarm.at - rest.seen.now));
}

namespace {

// When each thing in State has to be looked at again, at the latest.
std::optional<Instant> deadline_of(const State& state, const Call& call) {
    if (call.phase == CallPhase::kWaiting) return call.deadline;
    if (call.phase == CallPhase::kRunning) return call.started + state.fleet.policy.call_max;
    return std::nullopt;
}
std::optional<Instant> deadline_of(const State& state, const Run& run) {
    if (run.phase == RunPhase::kTerminating) return run.phase_since + state.fleet.policy.kill_grace;
    bool counts = run.phase == RunPhase::kRunning && run.calls_waiting == 0;
    if (!counts || run.timeout == Millis{}) return std::nullopt;
    return run.started + run.waited + run.timeout;
}
std::optional<Instant> deadline_of(const State& state, const Worker& worker) {
    if (worker.phase == WorkerPhase::kLoading) return worker.since + kLoadMax;
    if (worker.phase == WorkerPhase::kUnloading && !worker.killing)
        return worker.since + state.fleet.policy.kill_grace;
    return std::nullopt;
}

template <class Map>
Violation late_for(const Rest& rest, const Map& map, std::string_view kind) {
    for (const auto& [id, thing] : map) {
        auto deadline = deadline_of(rest.state, thing);
        if (deadline && *deadline < rest.alarm.at)
            return fmt::format("the alarm is at {}, {} after the deadline of {} {}",
                               rest.alarm.at.ms, format_duration(rest.alarm.at - *deadline), kind,
                               id.value);
    }
    return std::nullopt;
}

}  // namespace

Violation alarm_before_first_deadline(const Rest& rest) {
    if (rest.alarm.at <= rest.seen.now)
        return fmt::format("the alarm at {} is not after now, {}", rest.alarm.at.ms,
                           rest.seen.now.ms);
    if (auto late = late_for(rest, rest.state.calls, "call")) return late;
    if (auto late = late_for(rest, rest.state.runs, "run")) return late;
    if (auto late = late_for(rest, rest.state.workers, "worker")) return late;
    if (rest.state.draining) return std::nullopt;
    auto next = rest.state.due.upper_bound({rest.seen.wall, {"\x7f"}});
    if (next != rest.state.due.end() && next->first < rest.alarm.wall)
        return fmt::format("the alarm is at {}, but {} is due at {}", rest.alarm.wall.ms,
                           next->second.value, next->first.ms);
    return std::nullopt;
}

Violation decide_is_idempotent(const Rest& rest) {
    Plan again = decide(rest.state, rest.seen);
    if (!again.decisions.empty())
        return fmt::format("deciding again wants {}", to_json(again.decisions.front()).dump());
    if (again.alarm != rest.alarm) return "deciding again sets another alarm";
    return std::nullopt;
}

// ---- lease_is_fifo -----------------------------------------------------------------------------

Violation LeaseIsFifo::granted(uint64_t ticket) {
    if (ticket <= last_) return fmt::format("ticket {} is served after ticket {}", ticket, last_);
    last_ = ticket;
    return std::nullopt;
}

// ---- every_run_ends_once -----------------------------------------------------------------------

Violation EveryRunEndsOnce::see(const Turn& turn) {
    for (const Event& event : turn.cycle.events)
        if (auto violation = see(event)) return violation;
    for (const Decision& decision : turn.cycle.decisions) {
        Violation violation;
        if (const auto* start = std::get_if<StartRun>(&decision.action)) violation = see(*start);
        if (const auto* skip = std::get_if<SkipFirings>(&decision.action)) violation = see(*skip);
        if (const auto* hold = std::get_if<HoldFiring>(&decision.action)) violation = see(*hold);
        if (const auto* close = std::get_if<CloseRun>(&decision.action)) violation = see(*close);
        if (violation) return violation;
    }
    return std::nullopt;
}

Violation EveryRunEndsOnce::see(const Event& event) {
    if (const auto* configured = std::get_if<Configured>(&event)) configure(*configured);
    const auto* recovered = std::get_if<Recovered>(&event);
    if (!recovered) return std::nullopt;
    for (auto& [name, agent] : agents_) {
        auto known = recovered->last_due.find(name);
        Wall last = known == recovered->last_due.end() ? Wall{} : known->second;
        if (agent.last && known != recovered->last_due.end() && last < *agent.last &&
            agent.held.empty())
            return fmt::format("the history lost the firing of {} at {}", name.value,
                               agent.last->ms);
        agent.last.reset();
        if (known != recovered->last_due.end()) agent.last = last;
        agent.held.clear();
    }
    return std::nullopt;
}

void EveryRunEndsOnce::configure(const Configured& configured) {
    std::erase_if(
        agents_, [&](const auto& entry) { return !configured.fleet.agents.contains(entry.first); });
    for (const auto& [name, spec] : configured.fleet.agents) {
        Agent& agent = agents_[name];
        bool changed = agent.last &&
                       (agent.spec.schedule != spec.schedule || agent.spec.zone != spec.zone) &&
                       agent.spec.name == name;
        if (!agent.last || changed)
            agent.last = std::max(agent.last.value_or(configured.wall), configured.wall);
        agent.spec = spec;
    }
}

Violation EveryRunEndsOnce::account(const AgentName& name, Wall first, Wall last, int64_t count) {
    auto it = agents_.find(name);
    if (it == agents_.end()) return name.value + " is not in the fleet";
    Agent& agent = it->second;
    if (agent.held.erase(first) > 0) return std::nullopt;
    for (int64_t i = 0; i < count; ++i) {
        auto next = next_firing(agent.spec.schedule, agent.spec.zone, *agent.last);
        if (!next) return fmt::format("{} never fires after {}", name.value, agent.last->ms);
        if (i == 0 && *next != first)
            return fmt::format("{} fires at {} next, but {} was answered", name.value, next->ms,
                               first.ms);
        agent.last = next;
    }
    if (*agent.last != last)
        return fmt::format("{} firings of {} end at {}, not at {}", count, name.value,
                           agent.last->ms, last.ms);
    return std::nullopt;
}

Violation EveryRunEndsOnce::see(const StartRun& start) {
    if (!started_.insert(start.run).second)
        return fmt::format("run {} is started twice", start.run.value);
    open_.insert(start.run);
    if (start.trigger == Trigger::kManual) return std::nullopt;
    if (!ran_.insert({start.agent, start.due}).second)
        return fmt::format("the firing of {} at {} runs twice", start.agent.value, start.due.ms);
    return account(start.agent, start.due, start.due, 1);
}
Violation EveryRunEndsOnce::see(const SkipFirings& skip) {
    return account(skip.agent, skip.first, skip.last, skip.count);
}
Violation EveryRunEndsOnce::see(const HoldFiring& hold) {
    if (auto violation = account(hold.agent, hold.due, hold.due, 1)) return violation;
    agents_.at(hold.agent).held.insert(hold.due);
    return std::nullopt;
}
Violation EveryRunEndsOnce::see(const CloseRun& close) {
    if (open_.erase(close.run) == 0)
        return fmt::format("run {} is closed and was not open", close.run.value);
    return std::nullopt;
}

void EveryRunEndsOnce::daemon_died() {
    open_.clear();
}

// ---- every_call_ends_once ----------------------------------------------------------------------

Violation EveryCallEndsOnce::see(const Turn& turn) {
    for (const Event& event : turn.cycle.events)
        if (const auto* arrived = std::get_if<CallArrived>(&event)) open_[arrived->call] = 0;
    for (const StartCall* start : decided<StartCall>(turn)) {
        auto call = open_.find(start->call);
        if (call == open_.end())
            return fmt::format("call {} is started and is not open", start->call.value);
        if (++call->second > kCallAttemptsMax)
            return fmt::format("call {} is started {} times", start->call.value, call->second);
    }
    for (const CloseCall* close : decided<CloseCall>(turn))
        if (open_.erase(close->call) == 0)
            return fmt::format("call {} is closed and was not open", close->call.value);
    for (const auto& [id, call] : turn.state.calls)
        if (!open_.contains(id))
            return fmt::format("call {} was closed and is still in State", id.value);
    for (const auto& [id, starts] : open_)
        if (!turn.state.calls.contains(id))
            return fmt::format("call {} has left State without a last word", id.value);
    return std::nullopt;
}

// ---- replay_equals_record ----------------------------------------------------------------------

Violation ReplayEqualsRecord::see(const Turn& turn) {
    auto difference = replayer_.feed_line(encode_cycle(turn.cycle));
    if (!difference) return difference.error().message;
    if (*difference) return fmt::format("cycle {} is decided differently", (*difference)->cycle);
    if (replayer_.state() != turn.state) return "the replayed State differs";
    return std::nullopt;
}

// ---- all of them -------------------------------------------------------------------------------

void Checkers::note(std::string_view checker, Instant at, Violation violation) {
    constexpr size_t kKept = 100;  // the first is what matters, the rest is its echo
    if (violation && broken_.size() < kKept) broken_.push_back({checker, at, *violation});
}

void Checkers::see(const Turn& turn) {
    Instant at = turn.cycle.seen.now;
    note("one_lease_owner", at, one_lease_owner(turn));
    note("device_never_overcommitted", at, device_never_overcommitted(turn));
    note("model_line_is_fifo", at, model_line_is_fifo(turn));
    note("no_call_cut_by_swap", at, no_call_cut_by_swap(turn));
    note("no_model_loaded_twice", at, no_model_loaded_twice(turn));
    note("every_run_ends_once", at, every_run_ends_once_.see(turn));
    note("every_call_ends_once", at, every_call_ends_once_.see(turn));
    note("replay_equals_record", at, replay_equals_record_.see(turn));
}

void Checkers::see(const Rest& rest) {
    note("progress_or_idle", rest.seen.now, progress_or_idle(rest));
    note("alarm_before_first_deadline", rest.seen.now, alarm_before_first_deadline(rest));
    note("decide_is_idempotent", rest.seen.now, decide_is_idempotent(rest));
}

void Checkers::granted(uint64_t ticket, Instant at) {
    note("lease_is_fifo", at, lease_is_fifo_.granted(ticket));
}

void Checkers::daemon_died() {
    every_run_ends_once_.daemon_died();
    every_call_ends_once_.daemon_died();
}

}  // namespace hotdesk::sim
