// SPDX-License-Identifier: MIT
#pragma once
// Which call runs next, and which model is loaded or unloaded for it.
//
// Calls of one model are first in, first out. A loaded model serves its own line as long as that is
// fair: once a call of another model (or another program, waiting for the desk) has waited
// `gate_age`, the gate closes behind the newest call there is, the loaded model finishes what was
// queued before, and then makes room. So a swap serves many calls, and nobody waits for ever:
//
//   wait <= gate_age + (calls queued before the gate) x call_max + load time, for two models.
//
// A model is loaded only when the ledger has room for it, and unloaded only when it is idle: a
// running generation is never cut off by a swap.

#include "core/draft.h"
#include "core/world.h"

namespace hotdesk {

// Ends what has to end: answered calls, waits that are over, calls that run too long.
void decide_call_ends(const State& state, const Snapshot& seen, Draft& draft);

// Gives every new call its model, or refuses it.
void decide_routes(const State& state, const Snapshot& seen, Draft& draft);

// Starts calls on loaded models, and loads and unloads models.
void decide_calls(const State& state, const Snapshot& seen, Draft& draft);

}  // namespace hotdesk
