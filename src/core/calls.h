// SPDX-License-Identifier: MIT
#pragma once
// The two ends of a call: which model it gets or why none, and what closes it. When it is served in
// between is the scheduler's business.

#include <optional>

#include "core/draft.h"
#include "core/world.h"

namespace hotdesk {

// Ends what has to end: answered calls, waits that are over, calls that run too long.
void decide_call_ends(const State& state, const Snapshot& seen, Draft& draft);

// Gives every new call its model, or refuses it.
void decide_routes(const State& state, const Snapshot& seen, Draft& draft);

// The last word on a call that is not answered.
CloseCall refusal(const Call& call, Instant now, Code code);

// Why a waiting call can never be served, where that has become known since it was routed: the desk
// had not been measured, or the config has changed.
std::optional<Why> cannot_fit(const State& state, const Call& call, const Snapshot& seen);

}  // namespace hotdesk
