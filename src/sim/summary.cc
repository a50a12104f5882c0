// SPDX-License-Identifier: MIT
#include "sim/summary.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

bool is_on_desk(const Fleet& fleet, const ModelName& model) {
    auto spec = fleet.models.find(model);
    return spec != fleet.models.end() && spec->second.placement == Placement::kDesk;
}

}  // namespace

void DayTally::see(const Event& event, Wall now) {
    counts_.add(event);
    const auto* call = std::get_if<CallArrived>(&event);
    auto run = call ? open_.find(call->run) : open_.end();
    if (run != open_.end() && !run->second.first_call) run->second.first_call = now;
}

void DayTally::add(const Cycle& cycle, const Fleet& fleet) {
    ++summary_.cycles;
    summary_.decisions += static_cast<int64_t>(cycle.decisions.size());
    for (const Event& event : cycle.events) see(event, cycle.seen.wall);
    for (const Decision& decision : cycle.decisions) see(decision, cycle.seen.wall, fleet);
}

void DayTally::see(const Decision& decision, Wall now, const Fleet& fleet) {
    counts_.add(decision);
    const Action& action = decision.action;
    Reason reason = decision.why.reason;
    if (const auto* start = std::get_if<StartRun>(&action)) begin(*start);
    if (const auto* firings = std::get_if<SkipFirings>(&action)) skip(*firings, reason);
    if (const auto* run = std::get_if<CloseRun>(&action)) close(*run, reason, now, fleet);
    if (const auto* call = std::get_if<StartCall>(&action))
        if (starts_[call->call]++ > 0) ++summary_.retries;
    if (const auto* word = std::get_if<CloseCall>(&action)) end_call(*word, fleet);
    if (const auto* load = std::get_if<LoadModel>(&action))
        if (is_on_desk(fleet, load->model)) ++summary_.models[load->model].loads;
}

// ---- calls -------------------------------------------------------------------------------------

void DayTally::end_call(const CloseCall& word, const Fleet& fleet) {
    starts_.erase(word.call);
    summary_.prefilled += word.prompt - word.cached;
    if (word.outcome != CallOutcome::kDone) return;
    if (is_on_desk(fleet, word.model)) note_on_desk(word);
    auto run = open_.find(word.run);
    if (run == open_.end()) return;
    if (!run->second.answered) first_waits_.push_back(word.waited.value);
    run->second.answered = true;
}

void DayTally::note_on_desk(const CloseCall& word) {
    AgentDay& agent = summary_.agents[word.agent];
    ++agent.calls;
    agent.served += word.ran;
    agent.waited += word.waited;
    agent.wait_max = std::max(agent.wait_max, word.waited);
    ModelDay& model = summary_.models[word.model];
    ++model.calls;
    model.served += word.ran;
    model.waited += word.waited;
    model.context += word.prompt + word.completion;
}

// ---- firings -----------------------------------------------------------------------------------

void DayTally::begin(const StartRun& start) {
    if (start.trigger == Trigger::kManual) return;
    ++summary_.firings;
    ++summary_.agents[start.agent].firings;
    open_[start.run] = {.agent = start.agent, .due = start.due, .first_call = {}};
}

void DayTally::skip(const SkipFirings& skip, Reason reason) {
    summary_.firings += skip.count;
    summary_.not_done[reason] += skip.count;
    summary_.agents[skip.agent].firings += skip.count;
    summary_.agents[skip.agent].missed += skip.count;
    if (reason == Reason::kOverlap) summary_.skipped_overlap += skip.count;
}

void DayTally::close(const CloseRun& close, Reason reason, Wall now, const Fleet& fleet) {
    auto found = open_.find(close.run);
    if (found == open_.end()) return;
    const Firing& firing = found->second;
    AgentDay& agent = summary_.agents[firing.agent];
    if (close.outcome == Outcome::kSkipped) ++summary_.skipped_timeout;
    if (close.outcome != Outcome::kDone) {
        ++agent.missed;
        // An agent that leaves with "try again" was refused by the line.
        ++summary_.not_done[close.outcome == Outcome::kSkipped ? Reason::kWaitOver : reason];
    } else if (firing.answered) {
        ++agent.answered;
        run_times_.push_back((now - *firing.first_call).value);
    }
    note_late(close, firing, now, fleet);
    open_.erase(found);
}

void DayTally::note_late(const CloseRun& close, const Firing& firing, Wall now,
                         const Fleet& fleet) {
    auto spec = fleet.agents.find(firing.agent);
    if (spec == fleet.agents.end()) return;
    Millis over = now - due_(spec->second, firing.due);
    if (over <= Millis{}) return;
    ++summary_.late;
    ++summary_.agents[firing.agent].late;
    if (close.waited >= over) ++summary_.late_by_waiting;
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
