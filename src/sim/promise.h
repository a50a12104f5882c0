// SPDX-License-Identifier: MIT
#pragma once
// What a checker looks at, and what it answers. A checker sees the simulated day from outside: each
// turn of the loop together with the truth about the machine, which State may not know yet, and
// each state that the loop falls asleep in.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/world.h"
#include "loop/ports.h"

namespace hotdesk::sim {

// A process that hosts a model, as it really is.
struct TrueWorker {
    ModelSpec spec;
    int running = 0;
};
// The simulated machine before the decisions of this turn are carried out.
struct Truth {
    bool desk_is_ours = false;
    bool desk_is_strangers = false;
    std::map<ModelName, TrueWorker> workers;
    Bytes device_total;  // of the machine, whatever the probe says
    Bytes host_total;
};
// `state` has the decisions of the cycle folded in.
struct Turn {
    const Cycle& cycle;
    const State& state;
    const Truth& truth;
};
// A settled state: nothing is left to want, the loop is about to sleep.
struct Rest {
    const State& state;
    const Snapshot& seen;
    Alarm alarm;
};

// A sentence with the numbers, or nothing when all is well.
using Violation = std::optional<std::string>;

// The decisions of one kind, in their order.
template <class A>
std::vector<const A*> decided(const Turn& turn) {
    std::vector<const A*> found;
    for (const Decision& decision : turn.cycle.decisions)
        if (const A* action = std::get_if<A>(&decision.action)) found.push_back(action);
    return found;
}

inline bool is_on_desk(const ModelSpec& spec) {
    return spec.placement == Placement::kDesk;
}

}  // namespace hotdesk::sim
