// SPDX-License-Identifier: MIT
#include "sim/shrink.h"

#include <gtest/gtest.h>

namespace hotdesk::sim {
namespace {

// Simulates a case under one more promise, which a test means to be broken.
Breaks breaks(Checkers::OneMore (*promise)()) {
    return [promise](const Case& tried) -> std::optional<Millis> {
        Options day = usual_day(tried.seed, tried.agents, tried.faults);
        day.length = tried.length;
        day.check = true;
        day.check_replay = false;
        day.one_more = promise();
        Simulation simulation = simulate(std::move(day));
        if (simulation.broken.empty()) return std::nullopt;
        return simulation.broken.front().at - kDawn;
    };
}

// Breaks with the tenth call that starts.
Checkers::OneMore fewer_than_ten_calls() {
    return [calls = 0](const Turn& turn) mutable -> Violation {
        calls += static_cast<int>(decided<StartCall>(turn).size());
        if (calls < 10) return std::nullopt;
        return "ten calls";
    };
}

// Breaks when a worker dies.
Checkers::OneMore nobody_crashes() {
    return [](const Turn& turn) -> Violation {
        for (const Event& event : turn.cycle.events)
            if (const auto* gone = std::get_if<WorkerGone>(&event); gone && gone->crashed)
                return gone->model.value + " has crashed";
        return std::nullopt;
    };
}

TEST(Shrink, LeavesOutWhatTheBreakDoesNotNeed) {
    Case large{.seed = 3, .agents = 20, .length = hours(12)};
    large.faults = *parse_faults("stranger,slow_load,client_hangup,probe_lag,operator");
    ASSERT_TRUE(breaks(fewer_than_ten_calls)(large));
    Case small = shrink(large, breaks(fewer_than_ten_calls));
    EXPECT_TRUE(small.faults.empty());
    EXPECT_LT(small.agents, 10);
    EXPECT_LE(small.length, hours(12));
    EXPECT_TRUE(breaks(fewer_than_ten_calls)(small));
}

TEST(Shrink, KeepsWhatTheBreakNeedsAndNothingElse) {
    Breaks crashes = breaks(nobody_crashes);
    Case large{.seed = 5, .agents = 20, .length = hours(24)};
    large.faults = *parse_faults("worker_crash,slow_load,client_hangup,stubborn_run");
    ASSERT_TRUE(crashes(large));
    Case small = shrink(large, crashes);
    EXPECT_TRUE(crashes(small));
    EXPECT_TRUE(small.faults.has(Fault::kWorkerCrash));
    Case one_less = small;
    --one_less.agents;
    EXPECT_FALSE(one_less.agents > 0 && crashes(one_less)) << "nothing more can be left out";
}

TEST(Shrink, SaysACaseAsOneCommand) {
    Case small{.seed = 5, .agents = 3, .length = minutes(61), .faults = {}};
    small.faults = *parse_faults("worker_crash");
    EXPECT_EQ(command_for(small),
              "hotdesk simulate --seed 5 --agents 3 --minutes 61 --faults worker_crash --check");
    small.length = hours(2);
    EXPECT_EQ(command_for(small),
              "hotdesk simulate --seed 5 --agents 3 --hours 2 --faults worker_crash --check");
}

TEST(Shrink, EndsTheDayInTheMinuteInWhichItBreaks) {
    auto at_ninety_seconds = [](const Case&) { return std::optional(seconds(90)); };
    EXPECT_EQ(shrink({.agents = 1, .length = hours(1)}, at_ninety_seconds).length, minutes(2));
    auto at_two_minutes = [](const Case&) { return std::optional(minutes(2)); };
    EXPECT_EQ(shrink({.agents = 1, .length = hours(1)}, at_two_minutes).length, minutes(3));
}

TEST(Shrink, GivesUpAfterSoManyTries) {
    int tries = 0, agents = 100'000;
    auto with_one_less = [&](const Case& tried) -> std::optional<Millis> {
        ++tries;
        if (tried.agents + 1 < agents) return std::nullopt;
        agents = tried.agents;
        return seconds(1);
    };
    shrink({.agents = agents}, with_one_less);
    EXPECT_EQ(tries, kShrinkTriesMax + 1);
}

}  // namespace
}  // namespace hotdesk::sim
