// SPDX-License-Identifier: MIT
#include "sim/world.h"

#include <gtest/gtest.h>

namespace hotdesk::sim {
namespace {

// A few faults of all, drawn from the seed, so that hundreds of short days meet most mixtures.
Faults some_faults(uint64_t seed) {
    Random random(seed);
    Faults faults;
    for (int i = 0; i < kFaultCount; ++i)
        if (random.chance(350)) faults.add(static_cast<Fault>(i));
    return faults;
}

Simulation run_day(uint64_t seed, int agents, Millis length, const Faults& faults) {
    Options day = usual_day(seed, agents, faults);
    day.length = length;
    day.check = true;
    return simulate(std::move(day));
}

TEST(World, EveryMixtureOfFaultsKeepsEveryPromise) {
    constexpr int kAgents = 20;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        Faults faults = some_faults(seed);
        Simulation day = run_day(seed, kAgents, hours(2), faults);
        ASSERT_TRUE(day.broken.empty())
            << day.broken.front().checker << ": " << day.broken.front().what
            << "\nreplay with: " << command_for(seed, kAgents, hours(2), faults);
    }
}

TEST(World, ADayWithAllFaultsAtOnceKeepsEveryPromise) {
    Simulation day = run_day(7, 30, hours(24), *parse_faults("all"));
    ASSERT_TRUE(day.broken.empty())
        << day.broken.front().checker << ": " << day.broken.front().what;
    EXPECT_GT(day.summary.deaths, 0);
    EXPECT_GT(day.summary.calls[CallOutcome::kDone], 0);
}

TEST(World, TheSameSeedIsTheSameDay) {
    Faults all = *parse_faults("all");
    auto hash = [&](uint64_t seed) { return run_day(seed, 20, hours(3), all).summary.trace_hash; };
    EXPECT_EQ(hash(3), hash(3));
    EXPECT_NE(hash(3), hash(4));
}

TEST(World, AQuietDayAnswersEveryCallAndEndsEveryFiring) {
    Simulation day = run_day(1, 50, hours(24), {});
    const Summary& s = day.summary;
    EXPECT_TRUE(day.broken.empty());
    EXPECT_GT(s.firings, 2000);
    EXPECT_EQ(s.calls.at(CallOutcome::kDone), [&] {
        int64_t all = 0;
        for (const auto& [outcome, count] : s.calls) all += count;
        return all;
    }());
    EXPECT_LE(s.device_peak, mib(4800));  // writer and coder are never on the desk together
    EXPECT_LT(s.waits_ms.max, minutes(8).value);
}

TEST(Faults, AreReadBackAsTheyAreWritten) {
    Faults two = *parse_faults("stranger,worker_crash");
    EXPECT_EQ(to_string(two), "worker_crash,stranger");
    EXPECT_EQ(parse_faults(to_string(two)), two);
    EXPECT_EQ(parse_faults("none"), Faults{});
    EXPECT_EQ(parse_faults("worker_crash,earthquake").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace hotdesk::sim
