// SPDX-License-Identifier: MIT
#include "sim/rest_checkers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/limits.h"
#include "core/line.h"
#include "core/pace.h"
#include "core/router.h"
#include "core/step.h"
#include "loop/record.h"

namespace hotdesk::sim {
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
// than linger while a run of it is in a tool call, never once the call has waited gate_age, and
// never behind a closed gate, where its own callers wait too.
bool is_kept_for_its_own(const Rest& rest, const Call& call) {
    if (call.priority == Priority::kInteractive || rest.state.desk.gate) return false;
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

}  // namespace hotdesk::sim
