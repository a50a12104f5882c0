// SPDX-License-Identifier: MIT
#pragma once
// The waiting lines as the scheduler and the views see them, gathered from State in one pass.

#include <map>
#include <vector>

#include "core/world.h"

namespace hotdesk {

struct Line {
    std::vector<const Call*> waiting;  // in the order of arrival
    int running = 0;
};

// Pointers are into `state` and valid as long as it is not changed. Calls that are not routed yet
// are in no line.
std::map<ModelName, Line> lines_of(const State& state);

// Bytes that the ledger holds for the desk's workers (loading, ready and unloading), or the host's.
Footprint held_by_workers(const State& state);

// "pid 4711 (render) has the desk", for a call that waits for the lease.
std::string who_has_the_desk(const Desk& desk);

// Whether the model has a process.
bool is_present(const State& state, const ModelName& model);

}  // namespace hotdesk
