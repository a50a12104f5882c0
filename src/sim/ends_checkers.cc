// SPDX-License-Identifier: MIT
#include "sim/ends_checkers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cron.h"
#include "core/limits.h"

namespace hotdesk::sim {

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
    if (const auto* recovered = std::get_if<Recovered>(&event)) return see(*recovered);
    return std::nullopt;
}

// What the history knows decides which firings come (again): it must not be behind what was
// answered, nor ahead of a firing that was held and has no answer.
Violation EveryRunEndsOnce::see(const Recovered& recovered) {
    for (auto& [name, agent] : agents_) {
        auto known = recovered.last_due.find(name);
        if (known == recovered.last_due.end()) {
            agent.last.reset();
            agent.answered.reset();
            agent.held.clear();
            continue;
        }
        Wall last = known->second;
        if (agent.answered && last < *agent.answered && agent.held.empty())
            return fmt::format("the history lost the firing of {} at {}", name.value,
                               agent.answered->ms);
        if (!agent.held.empty() && *agent.held.begin() <= last)
            return fmt::format("the firing of {} at {} was held, and the history is at {}",
                               name.value, agent.held.begin()->ms, last.ms);
        agent.last = agent.answered = last;
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
        // The clock had been far ahead: what was answered then stops no firing of today.
        if (*agent.last > configured.wall + kSetBackMax) agent.last = configured.wall;
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
    agent.answered = agent.last;
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

}  // namespace hotdesk::sim
