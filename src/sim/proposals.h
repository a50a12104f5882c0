// SPDX-License-Identifier: MIT
#pragma once
// Changes of a fleet that may make its day better, read off a simulated day. Whether one does is
// for sim/advice to find out.

#include <string>
#include <vector>

#include "sim/summary.h"
#include "sim/world.h"

namespace hotdesk::sim {

struct Proposal {
    std::string what;  // "agent notes: schedule = \"37 * * * *\" instead of \"0 * * * *\""
    Fleet fleet;       // with the change
};

// The most promising ones first: stagger, agents moved to quieter minutes, tasks given another
// model, longer periods, more slots or context where calls wait for them.
std::vector<Proposal> propose(const Options& options, const Summary& day);

}  // namespace hotdesk::sim
