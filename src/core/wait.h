// SPDX-License-Identifier: MIT
#pragma once
// What can be said to a call that waits: its place, about how long it will take, and the latest
// time by which it is served or told why not.
//
// The bound, for a call of model x (doc/scheduling.md has the proof):
//
//   latest = now + what is left of gate_age + the load and the visit that may be under way then
//            + rounds x (the sum over the models of the desk of unload + load + visit)
//   visit  = visit_max + call_max; of x itself at most ceil(place / slots) x call_max
//   rounds = the most visits that a model needs for its calls that are older, x's own included
//
// It holds while models load in the time they took before and no other program wants the desk;
// where one of these is not known there is no bound. A call is told no at its own deadline whatever
// the bound says.

#include <map>
#include <optional>

#include "core/line.h"
#include "core/world.h"

namespace hotdesk {

struct Wait {
    int place = 0;                  // 1 = next of its model
    int of = 0;                     // calls in that line
    std::optional<Millis> about;    // nothing under kAnswersMin answers of its model
    std::optional<Instant> latest;  // nothing where no bound holds

    friend bool operator==(const Wait&, const Wait&) = default;
};

// For each call that has a model and waits. One pass over the calls, and one over the models for
// each.
std::map<CallId, Wait> waits_of(const State& state, Instant now);

}  // namespace hotdesk
