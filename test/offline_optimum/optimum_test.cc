// SPDX-License-Identifier: MIT
#include "optimum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "jobs.h"

namespace hotdesk::optimum {
namespace {

// Every order in which the models can be served, one after the other: the definition, in full.
template <class Better>
Cost best_of_all_orders(const Problem& problem, Better better) {
    std::vector<size_t> order;
    for (size_t m = 0; m < problem.models.size(); ++m)
        order.insert(order.end(), problem.models[m].jobs.size(), m);
    Cost best{hours(1000), hours(1000), 1000};
    do {
        std::vector<size_t> served(problem.models.size());
        Cost cost;
        Millis at;
        size_t resident = problem.models.size();
        for (size_t m : order) {
            const Job& job = problem.models[m].jobs[served[m]++];
            Millis ready = at + (m == resident ? Millis{} : problem.models[m].load);
            Millis start = std::max(ready, job.release);
            cost.waits += start - job.release;
            cost.longest = std::max(cost.longest, start - job.release);
            cost.loads += m == resident ? 0 : 1;
            resident = m;
            at = start + job.service;
        }
        if (better(cost, best)) best = cost;
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

Problem few(uint64_t seed) {
    return play(draw_few_jobs(seed, 9, seed % 2 == 0 ? 2 : 3), [](Policy&) {}).problem;
}

TEST(OfflineOptimum, IsTheBestOfAllOrders) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        Problem problem = few(seed);
        for (Millis per_load : {Millis{}, seconds(10), seconds(100)}) {
            auto total = [&](const Cost& c) { return c.waits + per_load * c.loads; };
            Cost all = best_of_all_orders(
                problem, [&](const Cost& a, const Cost& b) { return total(a) < total(b); });
            EXPECT_EQ(total(least_total(problem, per_load)), total(all)) << "seed " << seed;
        }
        Cost all = best_of_all_orders(
            problem, [](const Cost& a, const Cost& b) { return a.longest < b.longest; });
        EXPECT_EQ(least_longest(problem).longest, all.longest) << "seed " << seed;
    }
}

TEST(OfflineOptimum, LoadsAheadOfAJobThatItKnows) {
    Problem problem{{{seconds(8), {{seconds(20), seconds(1)}}}}};
    EXPECT_EQ(least_total(problem, {}), (Cost{{}, {}, 1}));
    problem.models[0].jobs[0].release = seconds(5);
    EXPECT_EQ(least_total(problem, {}), (Cost{seconds(3), seconds(3), 1}));
}

// With the model swapped in and out again between its two jobs nobody but the first one waits.
TEST(OfflineOptimum, WeighsLoadsAgainstWaits) {
    Problem problem{{{seconds(8), {{{}, seconds(1)}, {seconds(40), seconds(1)}}},
                     {seconds(8), {{seconds(20), seconds(1)}}}}};
    EXPECT_EQ(least_total(problem, {}).loads, 3);
    EXPECT_EQ(least_total(problem, minutes(10)).loads, 2);
}

// The shipped scheduler does not know what comes: it beats nobody who does.
TEST(OfflineOptimum, IsALowerBoundForTheShippedScheduler) {
    Cost ours, best;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Played played = play(draw_few_jobs(seed, 14, 2), [](Policy&) {});
        for (Millis per_load : {Millis{}, seconds(10), hours(1)}) {
            Cost least = least_total(played.problem, per_load);
            EXPECT_GE(played.cost.waits + per_load * played.cost.loads,
                      least.waits + per_load * least.loads)
                << "seed " << seed;
        }
        EXPECT_GE(played.cost.longest, least_longest(played.problem).longest) << "seed " << seed;
        ours.waits += played.cost.waits;
        best.waits += least_total(played.problem, seconds(10)).waits;
    }
    // 1.49 was measured: what comes in three minutes here takes more than that to serve.
    EXPECT_LE(ours.waits.value * 100, best.waits.value * 160);
}

}  // namespace
}  // namespace hotdesk::optimum
