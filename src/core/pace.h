// SPDX-License-Identifier: MIT
#pragma once
// The times that the scheduler goes by. Each is a key of the config, or follows from how long the
// models of this machine were measured to load.

#include <optional>

#include "core/world.h"

namespace hotdesk {

// How long the model took to load the last time. Returns: nothing before its first load.
std::optional<Millis> load_time_of(const State& state, const ModelName& model);

// After this wait no newer call of another model goes first: 3.5 times what all models of the desk
// take to load together, and at least a minute. The desk must be able to load each of them once and
// serve in between: twice their sum over (1 - 0.43), 0.43 being the share of a busy hour that it
// computes.
Millis gate_age_of(const State& state);

// How long an idle model is kept for its runs that are in a tool call, when `next` is wanted (""
// for another program): as long as swapping it out and back would take, at most 20 s. Whoever waits
// no longer than a mistake would cost loses at most twice the best (the ski-rental argument).
Millis linger_of(const State& state, const ModelName& idle, const ModelName& next);

// An idle model is not swapped out for a call that has waited less than this, because the starts of
// one moment trickle in: twice as long as loading `next` takes, at most 15 s.
Millis hold_of(const State& state, const ModelName& next);

// How long before its agents are due a model is loaded. Returns: nothing when it is not, because
// its load was never measured or because the config says so.
std::optional<Millis> preload_lead(const State& state, const ModelName& model);

// Runs that `model` answered last and that make their next call when a tool has answered.
int runs_in_tool_call(const State& state, const ModelName& model);

// A model that nobody waits for yet, and the start of the first of its agents.
struct Preload {
    ModelName model;
    Wall start;
    Millis lead;
    Wall load_at() const { return start - lead; }
    friend bool operator==(const Preload&, const Preload&) = default;
};
// The load that the schedule calls for next: the model that most of the agents need which start
// next, unless one of those finds its model there. At most one for a start.
std::optional<Preload> next_preload(const State& state, Wall now);

}  // namespace hotdesk
