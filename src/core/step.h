// SPDX-License-Identifier: MIT
#pragma once
// The two functions that everything else serves.
//
//   apply   folds a fact into State; it decides nothing.
//   decide  states what should be done now, and why; it changes nothing.
//
// decide is level-triggered: it looks at State and Snapshot, never at what just happened. The loop
// applies each decision as Intended and decides again until there is nothing left to want, so a
// restart is: load State, look, decide.

#include "base/units.h"
#include "core/action.h"
#include "core/event.h"
#include "core/world.h"

namespace hotdesk {

// Requires: `now` is not earlier than in the call before. An event about something unknown (a call
// that has just ended) is ignored: both sides of every race are legal.
void apply(State& state, Instant now, const Event& event);

// Returns: the decisions, in the order in which they are to be carried out, and when to look again.
Plan decide(const State& state, const Snapshot& seen);

}  // namespace hotdesk
