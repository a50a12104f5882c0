// SPDX-License-Identifier: MIT
#include "core/step.h"

#include "core/calls.h"
#include "core/draft.h"
#include "core/fleet.h"
#include "core/scheduler.h"
#include "core/watchdog.h"

namespace hotdesk {

Plan decide(const State& state, const Snapshot& seen) {
    Draft draft(seen);
    decide_call_ends(state, seen, draft);
    decide_runs(state, seen, draft);
    decide_routes(state, seen, draft);
    decide_evictions(state, seen, draft);
    decide_calls(state, seen, draft);
    return std::move(draft).take();
}

}  // namespace hotdesk
