// SPDX-License-Identifier: MIT
#include "sim/summary.h"

#include <algorithm>

namespace hotdesk::sim {
void DayTally::see(const Event& event, Wall now) {
    counts_.add(event);
    const auto* call = std::get_if<CallArrived>(&event);
    auto run = call ? open_.find(call->run) : open_.end();
    if (run != open_.end() && !run->second.first_call) run->second.first_call = now;
}

void DayTally::end_call(const CloseCall& word) {
    starts_.erase(word.call);
    summary_.prefilled += word.prompt - word.cached;
    auto run = open_.find(word.run);
    if (word.outcome != CallOutcome::kDone || run == open_.end()) return;
    if (!run->second.answered) first_waits_.push_back(word.waited.value);
    run->second.answered = true;
}

void DayTally::add(const Cycle& cycle, const Fleet& fleet) {
    ++summary_.cycles;
    summary_.decisions += static_cast<int64_t>(cycle.decisions.size());
    for (const Event& event : cycle.events) see(event, cycle.seen.wall);
    for (const Decision& decision : cycle.decisions) {
        counts_.add(decision);
        const Action& action = decision.action;
        if (const auto* start = std::get_if<StartRun>(&action)) {
            if (start->trigger == Trigger::kManual) continue;
            ++summary_.firings;
            open_[start->run] = {.agent = start->agent, .due = start->due, .first_call = {}};
        } else if (const auto* skip = std::get_if<SkipFirings>(&action)) {
            summary_.firings += skip->count;
            if (decision.why.reason == Reason::kOverlap) summary_.skipped_overlap += skip->count;
        } else if (const auto* run = std::get_if<CloseRun>(&action)) {
            close(*run, cycle.seen.wall, fleet);
        } else if (const auto* call = std::get_if<StartCall>(&action)) {
            if (starts_[call->call]++ > 0) ++summary_.retries;
        } else if (const auto* word = std::get_if<CloseCall>(&action)) {
            end_call(*word);
        }
    }
}

void DayTally::close(const CloseRun& close, Wall now, const Fleet& fleet) {
    auto found = open_.find(close.run);
    if (found == open_.end()) return;
    const Firing& firing = found->second;
    if (close.outcome == Outcome::kSkipped) ++summary_.skipped_timeout;
    if (firing.answered && close.outcome == Outcome::kDone)
        run_times_.push_back((now - *firing.first_call).value);
    auto spec = fleet.agents.find(firing.agent);
    if (spec != fleet.agents.end() && now > due_(spec->second, firing.due)) ++summary_.late;
    open_.erase(found);
}

Summary DayTally::finish() && {
    for (Outcome outcome : kOutcomes)
        summary_.runs[outcome] += counts_.runs(outcome) + counts_.firings_without_run(outcome);
    for (CallOutcome outcome : kCallOutcomes) summary_.calls[outcome] = counts_.calls(outcome);
    summary_.loads = counts_.loads();
    summary_.waits_ms = percentiles_of(counts_.waits_ms());
    summary_.first_waits_ms = percentiles_of(std::move(first_waits_));
    summary_.run_times_ms = percentiles_of(std::move(run_times_));
    return std::move(summary_);
}

}  // namespace hotdesk::sim
