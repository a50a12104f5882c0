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
    Tokens running_size;  // estimated, of the contexts of those that run
};

// The order in which waiting calls are served: those that have waited since before `old` first, as
// they came; then interactive ones; then the rest. So no call is overtaken once it is old. Strict
// FIFO knows arrival only. Call ids grow with arrival and break every tie.
struct ServiceOrder {
    QueuePolicy policy = QueuePolicy::kGba;
    Instant old;

    bool operator()(const Call& a, const Call& b) const {
        int first = rank(a), second = rank(b);
        return first != second ? first < second : a.id < b.id;
    }
    bool operator()(const Call* a, const Call* b) const { return (*this)(*a, *b); }

  private:
    int rank(const Call& call) const {
        if (policy == QueuePolicy::kFifo || call.arrived <= old) return 0;
        return call.priority == Priority::kInteractive ? 1 : 2;
    }
};

// Whether a slot is free and the call's context fits beside those that run; alone, it always does:
// the worker counts, and refuses what is too long. A call that does not fit waits for the ones that
// run, and so do those behind it.
bool has_room(const ModelSpec& spec, const Line& line, const Call& call);

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
