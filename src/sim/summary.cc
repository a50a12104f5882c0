// SPDX-License-Identifier: MIT
#include "sim/summary.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

Millis percentile(const std::vector<Millis>& sorted, size_t percent) {
    if (sorted.empty()) return {};
    return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

Millis lateness_limit(const AgentSpec& spec, Wall due) {
    auto next = next_firing(spec.schedule, spec.zone, due);
    return next ? std::min((*next - due) / 5, minutes(30)) : minutes(30);
}

}  // namespace

void Tally::add(const Cycle& cycle, const Fleet& fleet) {
    ++summary_.cycles;
    summary_.decisions += static_cast<int64_t>(cycle.decisions.size());
    for (const Decision& decision : cycle.decisions) {
        const Action& action = decision.action;
        if (const auto* start = std::get_if<StartRun>(&action)) {
            if (start->trigger == Trigger::kManual) continue;
            ++summary_.firings;
            open_[start->run] = {start->agent, start->due};
        } else if (const auto* skip = std::get_if<SkipFirings>(&action)) {
            summary_.firings += skip->count;
            summary_.runs[skip->outcome] += skip->count;
        } else if (const auto* run = std::get_if<CloseRun>(&action)) {
            close(*run, cycle.seen.wall, fleet);
        } else if (const auto* call = std::get_if<StartCall>(&action)) {
            if (starts_[call->call]++ > 0) ++summary_.retries;
        } else if (const auto* word = std::get_if<CloseCall>(&action)) {
            ++summary_.calls[word->outcome];
            starts_.erase(word->call);
            if (word->outcome == CallOutcome::kDone) waits_.push_back(word->waited);
        } else if (std::holds_alternative<LoadModel>(action)) {
            ++summary_.loads;
        }
    }
}

void Tally::close(const CloseRun& close, Wall now, const Fleet& fleet) {
    ++summary_.runs[close.outcome];
    auto firing = open_.find(close.run);
    if (firing == open_.end()) return;
    auto spec = fleet.agents.find(firing->second.agent);
    if (spec != fleet.agents.end() &&
        now - firing->second.due > lateness_limit(spec->second, firing->second.due))
        ++summary_.late;
    open_.erase(firing);
}

Summary Tally::finish() && {
    std::sort(waits_.begin(), waits_.end());
    if (!waits_.empty())
        summary_.waits = {percentile(waits_, 50), percentile(waits_, 95), percentile(waits_, 99),
                          waits_.back()};
    return std::move(summary_);
}

}  // namespace hotdesk::sim
