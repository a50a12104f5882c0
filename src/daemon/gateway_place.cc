// SPDX-License-Identifier: MIT
#include "daemon/gateway_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "core/wait.h"

namespace hotdesk {
namespace {

bool is_waiting(const Call& call) {
    return call.phase == CallPhase::kArrived || call.phase == CallPhase::kWaiting;
}

// Rounded up, so that a wait is not over when it says 0.
int64_t in_seconds(Millis time) {
    return (time.value + 999) / 1000;
}

// The model on the desk that `model` has to wait for, if any.
ModelName blocker(const State& state, const ModelName& model) {
    for (const auto& [name, worker] : state.workers) {
        if (name != model && worker.phase != WorkerPhase::kAbsent &&
            worker.spec.placement == Placement::kDesk)
            return name;
    }
    return {};
}

}  // namespace

std::map<CallId, Place> places(const State& state, Instant now) {
    std::map<CallId, Place> out;
    std::map<ModelName, int> lengths;
    for (const auto& [id, call] : state.calls) {
        if (!is_waiting(call)) continue;
        out[id] = {.position = ++lengths[call.model], .model = call.model};
    }
    for (const auto& [id, wait] : waits_of(state, now)) {
        Place& place = out[id];
        place.position = wait.place;
        place.about = wait.about;
        if (wait.latest) place.latest = std::max(*wait.latest - now, Millis{});
    }
    for (auto& [id, place] : out) {
        place.of = lengths[place.model];
        const auto worker = state.workers.find(place.model);
        const WorkerPhase phase =
            worker == state.workers.end() ? WorkerPhase::kAbsent : worker->second.phase;
        if (phase == WorkerPhase::kLoading) place.loading_percent = worker->second.permille / 10;
        if (phase == WorkerPhase::kAbsent && !place.model.empty()) {
            const auto spec = state.fleet.models.find(place.model);
            const bool is_desk =
                spec != state.fleet.models.end() && spec->second.placement == Placement::kDesk;
            if (is_desk) place.behind = blocker(state, place.model);
        }
    }
    return out;
}

std::string waiting_comment(const Place& place) {
    std::string out = ": hotdesk waiting";
    if (place.position > 0) out += fmt::format(" position={} of={}", place.position, place.of);
    if (!place.model.empty()) out += fmt::format(" model={}", place.model.value);
    if (place.loading_percent >= 0) out += fmt::format(" loading={}%", place.loading_percent);
    if (!place.behind.empty()) out += fmt::format(" behind={}", place.behind.value);
    if (place.about) out += fmt::format(" about={}s", in_seconds(*place.about));
    if (place.latest) out += fmt::format(" latest={}s", in_seconds(*place.latest));
    return out + "\n\n";
}

Readiness readiness(const State& state, Instant now) {
    if (state.draining) return {false, "the daemon is draining: it starts nothing new"};
    for (const auto& [id, call] : state.calls) {
        if (!is_waiting(call)) continue;
        const Millis bound = std::max(call.deadline - call.arrived, kOldestWaitMax);
        const Millis waited = now - call.arrived;
        if (waited > bound) {
            return {false, fmt::format("call {} has waited {}, the bound is {}", id.value,
                                       format_duration(waited), format_duration(bound))};
        }
    }
    return {};
}

std::vector<std::string> known_names(const Fleet& fleet) {
    std::vector<std::string> out;
    for (const auto& [name, spec] : fleet.models) {
        if (!spec.unusable.empty()) continue;
        out.push_back(name.value);
        out.insert(out.end(), spec.aliases.begin(), spec.aliases.end());
    }
    for (const auto& [task, models] : fleet.tasks) out.push_back("task:" + task);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace hotdesk
