// SPDX-License-Identifier: MIT
#include "sim/turn_checkers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "core/line.h"
#include "core/pace.h"
#include "core/router.h"

namespace hotdesk::sim {

Violation one_lease_owner(const Turn& turn) {
    if (turn.truth.desk_is_ours && turn.truth.desk_is_strangers) return "the desk has two owners";
    bool released = !decided<ReleaseDesk>(turn).empty();
    for (const auto& [name, worker] : turn.truth.workers) {
        if (!is_on_desk(worker.spec)) continue;
        if (!turn.truth.desk_is_ours) return name.value + " is on a desk that is not ours";
        if (released) return name.value + " is still on the desk that is released";
    }
    for (const LoadModel* load : decided<LoadModel>(turn))
        if (is_on_desk(turn.state.fleet.models.at(load->model)) && !turn.truth.desk_is_ours)
            return load->model.value + " is loaded on a desk that is not ours";
    return std::nullopt;
}

Violation device_never_overcommitted(const Turn& turn) {
    const Policy& policy = turn.state.fleet.policy;
    Footprint planned;
    auto add = [&](const ModelSpec& spec) {
        planned.device += spec.need.device;
        planned.host += spec.need.host;
    };
    for (const auto& [name, worker] : turn.truth.workers) add(worker.spec);
    for (const LoadModel* load : decided<LoadModel>(turn))
        add(turn.state.fleet.models.at(load->model));
    Bytes device = desk_budget(policy, {.device_total = turn.truth.device_total});
    Bytes host = turn.truth.host_total - policy.host_reserve;
    if (planned.device > device)
        return fmt::format("{} planned on a desk of {}", format_bytes(planned.device),
                           format_bytes(device));
    if (planned.host > host)
        return fmt::format("{} planned in {} of RAM", format_bytes(planned.host),
                           format_bytes(host));
    return std::nullopt;
}

Violation call_has_a_slot(const Turn& turn) {
    auto lines = lines_of(turn.state);
    for (const StartCall* start : decided<StartCall>(turn)) {
        auto call = turn.state.calls.find(start->call);
        if (call == turn.state.calls.end()) continue;
        const Worker& worker = turn.state.workers.at(start->model);
        if (call->second.model != start->model || worker.phase != WorkerPhase::kReady)
            return fmt::format("call {} of {} starts on {}, which is not loaded for it",
                               start->call.value, call->second.model.value, start->model.value);
        const Line& line = lines[start->model];
        bool is_alone = line.running <= 1;
        if (!is_alone &&
            (line.running > worker.spec.slots || line.running_size > worker.spec.context))
            return fmt::format("{} runs {} calls with {} tokens in {} slots and {} tokens",
                               start->model.value, line.running, line.running_size.value,
                               worker.spec.slots, worker.spec.context.value);
    }
    return std::nullopt;
}

Violation model_line_is_fifo(const Turn& turn) {
    Instant old = turn.cycle.seen.now - gate_age_of(turn.state);
    for (const StartCall* start : decided<StartCall>(turn)) {
        auto started = turn.state.calls.find(start->call);
        if (started == turn.state.calls.end()) continue;
        for (const auto& [id, call] : turn.state.calls) {
            bool waits = call.model == start->model && call.phase == CallPhase::kWaiting;
            bool may_be_overtaken = started->second.priority > call.priority &&
                                    call.arrived > old &&
                                    turn.state.fleet.policy.queue == QueuePolicy::kGba;
            if (id < start->call && waits && !may_be_overtaken)
                return fmt::format("call {} of {} starts before call {}", start->call.value,
                                   start->model.value, id.value);
        }
    }
    return std::nullopt;
}

Violation no_call_cut_by_swap(const Turn& turn) {
    for (const UnloadModel* unload : decided<UnloadModel>(turn)) {
        auto worker = turn.truth.workers.find(unload->model);
        if (worker != turn.truth.workers.end() && worker->second.running > 0)
            return fmt::format("{} is unloaded under {} running calls", unload->model.value,
                               worker->second.running);
    }
    return std::nullopt;
}

Violation no_model_loaded_twice(const Turn& turn) {
    for (const LoadModel* load : decided<LoadModel>(turn))
        if (turn.truth.workers.contains(load->model))
            return load->model.value + " is loaded while it has a worker";
    return std::nullopt;
}

Violation demand_load_has_a_waiter(const Turn& turn) {
    for (const Decision& decision : turn.cycle.decisions) {
        const auto* load = std::get_if<LoadModel>(&decision.action);
        if (!load || decision.why.reason != Reason::kDemand) continue;
        bool is_wanted =
            std::any_of(turn.state.calls.begin(), turn.state.calls.end(), [&](const auto& entry) {
                const Call& call = entry.second;
                return call.model == load->model && call.phase == CallPhase::kWaiting;
            });
        if (!is_wanted) return load->model.value + " is loaded on demand and nobody waits for it";
    }
    return std::nullopt;
}

}  // namespace hotdesk::sim
