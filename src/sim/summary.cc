// SPDX-License-Identifier: MIT
#include "sim/summary.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

Millis lateness_limit(const AgentSpec& spec, Wall due) {
    auto next = next_firing(spec.schedule, spec.zone, due);
    return next ? std::min((*next - due) / 5, minutes(30)) : minutes(30);
}

}  // namespace

void DayTally::add(const Cycle& cycle, const Fleet& fleet) {
    ++summary_.cycles;
    summary_.decisions += static_cast<int64_t>(cycle.decisions.size());
    for (const Event& event : cycle.events) counts_.add(event);
    for (const Decision& decision : cycle.decisions) {
        counts_.add(decision);
        const Action& action = decision.action;
        if (const auto* start = std::get_if<StartRun>(&action)) {
            if (start->trigger == Trigger::kManual) continue;
            ++summary_.firings;
            open_[start->run] = {start->agent, start->due};
        } else if (const auto* skip = std::get_if<SkipFirings>(&action)) {
            summary_.firings += skip->count;
        } else if (const auto* run = std::get_if<CloseRun>(&action)) {
            close(*run, cycle.seen.wall, fleet);
        } else if (const auto* call = std::get_if<StartCall>(&action)) {
            if (starts_[call->call]++ > 0) ++summary_.retries;
        } else if (const auto* word = std::get_if<CloseCall>(&action)) {
            starts_.erase(word->call);
        }
    }
}

void DayTally::close(const CloseRun& close, Wall now, const Fleet& fleet) {
    auto firing = open_.find(close.run);
    if (firing == open_.end()) return;
    auto spec = fleet.agents.find(firing->second.agent);
    if (spec != fleet.agents.end() &&
        now - firing->second.due > lateness_limit(spec->second, firing->second.due))
        ++summary_.late;
    open_.erase(firing);
}

Summary DayTally::finish() && {
    for (Outcome outcome : kOutcomes)
        summary_.runs[outcome] += counts_.runs(outcome) + counts_.firings_without_run(outcome);
    for (CallOutcome outcome : kCallOutcomes) summary_.calls[outcome] = counts_.calls(outcome);
    summary_.loads = counts_.loads();
    summary_.waits_ms = percentiles_of(counts_.waits_ms());
    return std::move(summary_);
}

}  // namespace hotdesk::sim
