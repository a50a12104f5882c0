// SPDX-License-Identifier: MIT
#pragma once
// What the history says about a fleet's work, in the simulator's terms: the calls that each agent's
// runs make, and how long models load, how fast they serve and what they hold.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/workload.h"
#include "store/records.h"

namespace hotdesk {

struct MeasuredWork {
    std::map<AgentName, sim::Habit> habits;
    std::map<ModelName, Millis> load_times;
    std::map<ModelName, sim::Speed> speeds;
    std::map<ModelName, Footprint> needs;
    // For people, a line each: what is measured, and what stays assumed because too little is.
    std::vector<std::string> measured, assumed;
};

// Less than this says too little about an agent, or about a model's speed.
inline constexpr int64_t kRunsMeasuredMin = 5, kCallsMeasuredMin = 20;

// The mean run of each agent with enough of them. Requires: calls in the order of arrival.
std::map<AgentName, sim::Habit> habits_of(const std::vector<EndedCall>& calls);

// The speed of each model, by the least squares of ran = fresh / prefill + completion * step over
// its calls; `step` is what a call alone would take, in the usual share of what a batch costs.
// Absent for models with few calls, or whose calls are too much alike to tell the two apart.
std::map<ModelName, sim::Speed> speeds_of(const std::vector<EndedCall>& calls);

// The median time from "loading" to the "loaded" after it. Requires: the oldest first.
std::optional<Millis> load_time_in(const std::vector<ModelRecord>& changes);

// All of it, from the newest rows of the history in the state directory. Errors: as History::open.
Result<MeasuredWork> read_work(const std::string& state_dir, const Fleet& fleet);

}  // namespace hotdesk
