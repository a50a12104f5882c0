// SPDX-License-Identifier: MIT
#pragma once
// The best that anybody could have done who knew the whole day: exact dynamic programmes over jobs
// (a whole run as one call) on a desk with one model and one slot, each model first in, first out.
//
// A state is how many jobs of each model are served, and the model that is loaded. What a path to
// it is worth has two sides, when it is there and what it has cost, so each state keeps its Pareto
// set. From a state any model's next job may follow: it starts when the desk is free, its model
// loaded (ahead of the job, if that is better) and the job released. That covers every schedule
// worth having, since starting a job later never helps.

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace hotdesk::optimum {

struct Job {
    Millis release, service;
};
struct Problem {
    struct Model {
        Millis load;            // the unload before it included
        std::vector<Job> jobs;  // in the order of release
    };
    std::vector<Model> models;  // at most kModelsMax
};
inline constexpr int kModelsMax = 3;

// One schedule's worth.
struct Cost {
    Millis waits;    // the sum over the jobs, each from release to start
    Millis longest;  // of them
    int64_t loads = 0;
    friend bool operator==(const Cost&, const Cost&) = default;
};

// The schedule with the least sum of waits + `per_load` x loads. Memory and time grow with the
// product of the models' jobs: about 300 jobs of two models take a second.
Cost least_total(const Problem& problem, Millis per_load);

// The schedule with the smallest longest wait, and of these the least sum of waits it came across.
Cost least_longest(const Problem& problem);

}  // namespace hotdesk::optimum
