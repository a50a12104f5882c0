// SPDX-License-Identifier: MIT
#include "core/line.h"

namespace hotdesk {

bool has_room(const ModelSpec& spec, const Line& line, const Call& call) {
    if (line.running == 0) return true;
    return line.running < spec.slots && line.running_size + call.size <= spec.context;
}

std::map<ModelName, Line> lines_of(const State& state) {
    std::map<ModelName, Line> lines;
    for (const auto& [id, call] : state.calls) {
        if (call.phase == CallPhase::kWaiting) lines[call.model].waiting.push_back(&call);
        if (call.phase != CallPhase::kRunning) continue;
        Line& line = lines[call.model];
        ++line.running;
        line.running_size += call.size;
    }
    return lines;
}

Footprint held_by_workers(const State& state) {
    Footprint sum;
    for (const auto& [name, worker] : state.workers) {
        sum.device += worker.held.device;
        sum.host += worker.held.host;
    }
    return sum;
}

std::string who_has_the_desk(const Desk& desk) {
    return (desk.taken_by.empty() ? "another program" : desk.taken_by) + " has the desk";
}

bool is_present(const State& state, const ModelName& model) {
    auto it = state.workers.find(model);
    return it != state.workers.end() && it->second.phase != WorkerPhase::kAbsent;
}

}  // namespace hotdesk
