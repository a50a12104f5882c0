// SPDX-License-Identifier: MIT
#pragma once
// Which firings start, wait, are skipped or missed, and which runs have to end. Looks at schedules
// and runs only; what a run's calls get is the scheduler's business.

#include "base/units.h"
#include "core/draft.h"
#include "core/world.h"

namespace hotdesk {

void decide_runs(const State& state, const Snapshot& seen, Draft& draft);

// The start of an agent after its firing: a fixed share of a window for each name, so that fifty
// agents at "0 * * * *" do not start in one instant and each starts at the same second every time.
// window = min(policy.stagger, 10 % of the distance to the firing after).
Wall start_of(const Policy& policy, const AgentSpec& agent, const AgentState& state, Wall due);

// The share of the window, in 1/10,000, of an agent whose model is number `rank` of `models` on the
// desk: (rank + hash(name)) / models, so that the agents of one model start together.
int share_of(const AgentName& name, int rank, int models);

// The model that the agent's task means: its first one that can be used; "" when the task names
// none. Its calls may ask for others.
ModelName home_of(const Fleet& fleet, const AgentSpec& agent);

// How a run that has ended is recorded. Exit code 75 (EX_TEMPFAIL) is a skip: the agent could not
// get the desk in time and says "try again".
Outcome outcome_of(const Run& run);

}  // namespace hotdesk
