// SPDX-License-Identifier: MIT
#include "cli/simulate_options.h"

#include <gtest/gtest.h>

#include "cli/simulate_policy.h"

namespace hotdesk {
namespace {

TEST(SimulateOptions, ReplayNamesTheFileAndEveryOptionThatMatters) {
    SimulateOptions typed;
    typed.file = "my fleet.toml";
    typed.seed = 7;
    typed.days = 3;
    typed.faults = "stranger,worker_crash";
    typed.policy = "fifo";
    typed.stagger = "0s";
    typed.knobs = {"linger=4s", "hold=1s"};
    typed.is_json = true;
    EXPECT_EQ(replay_command(typed),
              "hotdesk simulate 'my fleet.toml' --seed 7 --days 3 --faults stranger,worker_crash "
              "--policy fifo --stagger 0s --set linger=4s --set hold=1s --check");
}

TEST(SimulateOptions, ReplayOfATraceOrAScenarioLeavesOutWhatItDoesNotUse) {
    SimulateOptions trace;
    trace.trace = "a'b.ndjson.gz";
    EXPECT_EQ(replay_command(trace), "hotdesk simulate --trace 'a'\\''b.ndjson.gz' --check");
    SimulateOptions scenario;
    scenario.scenario = "starvation";
    scenario.hours = 2;
    EXPECT_EQ(replay_command(scenario), "hotdesk simulate --scenario starvation --hours 2 --check");
}

TEST(SimulateOptions, ReplayOfAGeneratedFleetSaysHowMany) {
    EXPECT_EQ(replay_command({}), "hotdesk simulate --agents 50 --seed 1 --check");
}

TEST(SimulatePolicy, NamesAreReadBack) {
    for (const char* name : {"gba", "fifo", "grouping"}) {
        Policy policy;
        ASSERT_TRUE(use_policy(name, policy));
        EXPECT_EQ(name_of(policy), name);
    }
    Policy policy;
    EXPECT_EQ(use_policy("lifo", policy).error().message,
              "--policy lifo: there are gba, fifo and grouping");
}

TEST(SimulatePolicy, AKnobIsAKeyAndATime) {
    Policy policy;
    ASSERT_TRUE(turn_knob("linger=4s", policy));
    EXPECT_EQ(policy.linger, seconds(4));
    EXPECT_FALSE(turn_knob("linger", policy));
    EXPECT_FALSE(turn_knob("linger=4", policy));
    EXPECT_FALSE(turn_knob("patience=4s", policy));
}

TEST(SimulatePolicy, ComparedOnesKeepTheFleetsLimits) {
    Policy own;
    own.waiting_max = 3;
    own.stagger = seconds(7);
    auto all = compared_policies(own);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].policy, own);
    EXPECT_EQ(all[1].name, "gba without stagger");
    for (const NamedPolicy& named : all) {
        EXPECT_EQ(named.policy.waiting_max, 3);
        EXPECT_EQ(named.policy.stagger, named.name == all[1].name ? Millis{} : seconds(7));
        EXPECT_EQ(name_of(named.policy), named.option);
    }
}

TEST(SimulatePolicy, AFleetWithoutStaggerIsComparedWithTheUsualOne) {
    Policy own;
    own.stagger = {};
    auto all = compared_policies(own);
    EXPECT_EQ(all[0].policy.stagger, Policy{}.stagger);
    EXPECT_EQ(all[1].policy.stagger, Millis{});
}

}  // namespace
}  // namespace hotdesk
