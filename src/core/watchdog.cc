// SPDX-License-Identifier: MIT
#include "core/watchdog.h"

#include <algorithm>
#include <optional>

#include "core/line.h"
#include "core/pace.h"

namespace hotdesk {
namespace {

bool is_needed(const std::map<ModelName, Line>& lines, const ModelName& model) {
    auto line = lines.find(model);
    return line != lines.end() && (line->second.running > 0 || !line->second.waiting.empty());
}

bool is_running(const std::map<ModelName, Line>& lines, const ModelName& model) {
    auto line = lines.find(model);
    return line != lines.end() && line->second.running > 0;
}

// Requires: the worker is ready and has no running call.
std::optional<Why> reason_to_unload(const State& state, const ModelName& model,
                                    const Worker& worker, Instant now) {
    auto spec = state.fleet.models.find(model);
    if (spec == state.fleet.models.end() || !host_alike(spec->second, worker.spec))
        return Why{.reason = Reason::kReloaded};
    if (worker.evict_wanted) return Why{.reason = Reason::kEvictAsked};
    Millis idle = now - worker.idle_since, keep = spec->second.keep;
    if (spec->second.pinned || idle < keep) return std::nullopt;
    return Why{Reason::kIdle, keep.value, idle.value};
}

bool desk_stands_empty(const State& state) {
    return std::none_of(state.workers.begin(), state.workers.end(), [](const auto& entry) {
        const Worker& worker = entry.second;
        return worker.phase != WorkerPhase::kAbsent && worker.spec.placement == Placement::kDesk;
    });
}

bool desk_is_wanted(const State& state, const std::map<ModelName, Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& entry) {
        auto spec = state.fleet.models.find(entry.first);
        return spec != state.fleet.models.end() && spec->second.placement == Placement::kDesk &&
               !entry.second.waiting.empty();
    });
}

// Its turn has come to be loaded ahead of its agents.
bool preload_is_due(const State& state, Wall now) {
    auto next = next_preload(state, now);
    return next && now >= next->load_at();
}

}  // namespace

void decide_evictions(const State& state, const Snapshot& seen, Draft& draft) {
    auto lines = lines_of(state);
    for (const auto& [model, worker] : state.workers) {
        if (worker.phase != WorkerPhase::kReady || is_running(lines, model)) continue;
        auto why = reason_to_unload(state, model, worker, seen.now);
        bool idle_only = why && why->reason == Reason::kIdle;
        if (why && !(idle_only && is_needed(lines, model)))
            draft.want(UnloadModel{model}, *why);
        else if (!why)
            draft.look_again(worker.idle_since + state.fleet.models.at(model).keep);
    }
    if (state.desk.lease != LeasePhase::kNone && desk_stands_empty(state) &&
        !desk_is_wanted(state, lines) && !preload_is_due(state, seen.wall))
        draft.want(ReleaseDesk{}, {.reason = Reason::kNoDemand});
}

}  // namespace hotdesk
