// SPDX-License-Identifier: MIT
#pragma once
// Days of jobs, one call each, and what the shipped scheduler makes of them in the simulator with
// one slot: the other side of the comparison with the offline optimum.

#include <cstdint>
#include <vector>

#include "core/spec.h"
#include "optimum.h"
#include "sim/recorded_day.h"

namespace hotdesk::optimum {

struct PlannedJob {
    Millis release;
    ModelName model;  // "heavy-1", "heavy-2" or "heavy-3"
    Tokens fresh, decoded;
};

// So many hours of 36 agents on two models that exclude each other: every 5, 15, 30 and 60 minutes,
// 70 in 100 on round minutes, with the work of sim::draw_run().
std::vector<PlannedJob> draw_jobs(uint64_t seed, int64_t hours);

// A few jobs close together, of two or three models.
std::vector<PlannedJob> draw_few_jobs(uint64_t seed, int jobs, int models);

// Each run of a recorded day that is released in [from, to) as one job.
std::vector<PlannedJob> jobs_of(const sim::RecordedDay& day, Millis from, Millis to);

struct Played {
    Cost cost;
    Problem problem;  // the same jobs with the times that they took
};
// Adjusts the policy that the day is played under.
using Adjust = void (*)(Policy& policy);
Played play(const std::vector<PlannedJob>& jobs, Adjust adjust);

}  // namespace hotdesk::optimum
