// SPDX-License-Identifier: MIT
#include "daemon/recorder.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "daemon/views.h"

namespace hotdesk {

std::optional<ModelRecord> model_change(const Event& event, Wall at) {
    if (const auto* ready = std::get_if<WorkerReady>(&event))
        return ModelRecord{
            at, ready->model, ModelChange::kLoaded, ready->held.device, ready->held.host, ""};
    const auto* gone = std::get_if<WorkerGone>(&event);
    if (!gone) return std::nullopt;
    ModelChange change = gone->crashed                 ? ModelChange::kCrashed
                         : gone->error.message.empty() ? ModelChange::kUnloaded
                                                       : ModelChange::kFailed;
    return ModelRecord{at, gone->model, change, {}, {}, gone->error.message};
}

void Recorder::record(const Cycle& cycle) {
    journal_.record(cycle);
    for (const Event& event : cycle.events)
        if (auto change = model_change(event, cycle.seen.wall)) store_.note(*change);
    for (const Decision& decision : cycle.decisions)
        gateway_.publish_event(views::reason_record(reason_record(cycle.seen.wall, decision)));
}

}  // namespace hotdesk
