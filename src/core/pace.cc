// SPDX-License-Identifier: MIT
#include "core/pace.h"

#include <algorithm>

#include "core/limits.h"
#include "core/line.h"

namespace hotdesk {
namespace {

bool is_on_desk(const State& state, const ModelName& model) {
    auto spec = state.fleet.models.find(model);
    return spec != state.fleet.models.end() && spec->second.placement == Placement::kDesk &&
           spec->second.unusable.empty();
}

bool will_start(const State& state, const AgentName& name, const AgentState& agent) {
    return !state.paused && !agent.paused && !state.fleet.agents.at(name).paused &&
           is_on_desk(state, agent.home);
}

// How many agents of each model start together next, and when the first of each does.
struct NextStarts {
    struct OfModel {
        int agents = 0;
        Wall first;
    };
    std::map<ModelName, OfModel> models;
};
NextStarts next_starts(const State& state, Wall now) {
    NextStarts starts;
    std::optional<Wall> first;
    int looked_at = 0;
    for (auto it = state.due.upper_bound({now, {}}); it != state.due.end(); ++it) {
        const auto& [start, name] = *it;
        if (++looked_at > kStartsLookedAt || (first && start > *first + kStartsTogether)) break;
        const AgentState& agent = state.agents.at(name);
        if (!will_start(state, name, agent)) continue;
        if (!first) first = start;
        auto& model = starts.models[agent.home];
        if (model.agents++ == 0) model.first = start;
    }
    return starts;
}

// A model that is on the desk has agents that start soon after: swapping it out would cost two
// loads where the order of the starts needs one.
bool is_needed_again(const State& state, Wall start) {
    int looked_at = 0;
    for (auto it = state.due.upper_bound({start, {}}); it != state.due.end(); ++it) {
        if (it->first > start + kNeededAgain || ++looked_at > kStartsLookedAt) return false;
        const AgentState& agent = state.agents.at(it->second);
        if (will_start(state, it->second, agent) && is_present(state, agent.home)) return true;
    }
    return false;
}

}  // namespace

std::optional<Millis> load_time_of(const State& state, const ModelName& model) {
    auto worker = state.workers.find(model);
    if (worker == state.workers.end() || worker->second.load_time <= Millis{}) return std::nullopt;
    return worker->second.load_time;
}

Millis gate_age_of(const State& state) {
    if (state.fleet.policy.gate_age) return *state.fleet.policy.gate_age;
    Millis loads;
    for (const auto& [name, worker] : state.workers)
        if (is_on_desk(state, name)) loads += worker.load_time;
    return std::max(kGateAgeMin, loads * 7 / 2);
}

Millis linger_of(const State& state, const ModelName& idle, const ModelName& next) {
    if (state.fleet.policy.linger) return *state.fleet.policy.linger;
    Millis out = load_time_of(state, next).value_or(kLoadUnknown);
    Millis back = load_time_of(state, idle).value_or(kLoadUnknown);
    return std::min(out + back, kLingerMax);
}

Millis hold_of(const State& state, const ModelName& next) {
    if (state.fleet.policy.hold) return *state.fleet.policy.hold;
    return std::min(load_time_of(state, next).value_or(kLoadUnknown) * 2, kHoldMax);
}

std::optional<Millis> preload_lead(const State& state, const ModelName& model) {
    const auto& configured = state.fleet.policy.preload;
    if (configured == Millis{} || state.fleet.policy.queue == QueuePolicy::kFifo)
        return std::nullopt;
    if (configured) return configured;
    auto load = load_time_of(state, model);
    return load ? std::optional(*load + kPreloadSpare) : std::nullopt;
}

int runs_in_tool_call(const State& state, const ModelName& model) {
    return static_cast<int>(
        std::count_if(state.runs.begin(), state.runs.end(), [&](const auto& entry) {
            const Run& run = entry.second;
            return run.phase == RunPhase::kRunning && run.calls_open == 0 && run.served_by == model;
        }));
}

std::optional<Preload> next_preload(const State& state, Wall now) {
    const NextStarts starts = next_starts(state, now);
    const NextStarts::OfModel* most = nullptr;
    Preload preload;
    for (const auto& [model, of] : starts.models) {
        if (is_present(state, model)) return std::nullopt;
        if (most && of.agents <= most->agents) continue;
        most = &of;
        preload = {model, of.first, {}};
    }
    if (!most || preload.start <= state.desk.preloaded_for) return std::nullopt;
    if (is_needed_again(state, preload.start)) return std::nullopt;
    auto lead = preload_lead(state, preload.model);
    if (!lead) return std::nullopt;
    preload.lead = *lead;
    return preload;
}

}  // namespace hotdesk
