// SPDX-License-Identifier: MIT
#include "core/pace.h"

#include <gtest/gtest.h>

#include "core/small_world.h"

namespace hotdesk {
namespace {

constexpr Wall kMidnight{1'772'409'600'000};

// Two models that exclude each other; "a" took 8 s to load and "b" 12 s. Nothing is configured.
SmallWorld measured(std::vector<AgentSpec> agents = {}) {
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("b", gib(4))}, agents);
    fleet.policy.gate_age.reset();
    fleet.policy.preload.reset();
    fleet.policy.hold.reset();
    fleet.tasks = {{"write", {{"a"}}}, {"code", {{"b"}}}};
    SmallWorld world(std::move(fleet));
    world.state.workers.at({"a"}).load_time = seconds(8);
    world.state.workers.at({"b"}).load_time = seconds(12);
    return world;
}

AgentSpec agent(const char* name, const char* schedule, const char* task) {
    AgentSpec spec = small_agent(name, schedule);
    spec.task = task;
    return spec;
}

TEST(Pace, FollowsFromTheMeasuredLoads) {
    SmallWorld world = measured();
    EXPECT_EQ(gate_age_of(world.state), seconds(70));
    EXPECT_EQ(linger_of(world.state, {"a"}, {"b"}), seconds(20));
    EXPECT_EQ(hold_of(world.state, {"a"}), seconds(15));
    EXPECT_EQ(hold_of(world.state, {"b"}), seconds(15));
    EXPECT_EQ(preload_lead(world.state, {"b"}), seconds(12) + Millis{500});
    world.state.workers.at({"b"}).load_time = Millis{400};
    EXPECT_EQ(gate_age_of(world.state), seconds(60));
    EXPECT_EQ(linger_of(world.state, {"b"}, {"b"}), Millis{800});
    EXPECT_EQ(hold_of(world.state, {"b"}), Millis{800});
}

TEST(Pace, IsWhatTheConfigSays) {
    SmallWorld world = measured();
    Policy& policy = world.state.fleet.policy;
    policy.gate_age = policy.linger = policy.hold = policy.preload = seconds(3);
    EXPECT_EQ(gate_age_of(world.state), seconds(3));
    EXPECT_EQ(linger_of(world.state, {"a"}, {"b"}), seconds(3));
    EXPECT_EQ(hold_of(world.state, {"b"}), seconds(3));
    EXPECT_EQ(preload_lead(world.state, {"b"}), seconds(3));
    policy.preload = Millis{};
    EXPECT_EQ(preload_lead(world.state, {"b"}), std::nullopt);
}

TEST(Pace, PreloadsTheModelThatMostOfTheNextAgentsNeed) {
    SmallWorld world =
        measured({agent("one", "0 * * * *", "write"), agent("two", "0 * * * *", "code"),
                  agent("three", "0 * * * *", "code"), agent("late", "5 1 * * *", "write")});
    EXPECT_EQ(next_preload(world.state, kMidnight),
              (Preload{{"b"}, kMidnight + hours(1), seconds(12) + Millis{500}}));
    world.state.desk.preloaded_for = kMidnight + hours(1);
    EXPECT_EQ(next_preload(world.state, kMidnight), std::nullopt);
}

TEST(Pace, PreloadsNothingWhereAnAgentFindsItsModel) {
    SmallWorld world =
        measured({agent("one", "0 * * * *", "write"), agent("two", "0 * * * *", "code")});
    world.state.workers.at({"a"}).phase = WorkerPhase::kReady;
    EXPECT_EQ(next_preload(world.state, kMidnight), std::nullopt);
}

TEST(Pace, PreloadsNothingInThePlaceOfAModelThatIsNeededRightAfter) {
    auto with = [](Millis after) {
        AgentSpec soon = agent("soon", "", "write");
        soon.schedule = {.kind = Schedule::Kind::kEvery, .text = {}, .every = hours(2)};
        soon.schedule.phase = hours(1) + after;
        SmallWorld world = measured({agent("one", "0 * * * *", "code"), soon});
        world.state.workers.at({"a"}).phase = WorkerPhase::kReady;
        return next_preload(world.state, kMidnight + minutes(1));
    };
    EXPECT_EQ(with(seconds(20)), std::nullopt);
    EXPECT_TRUE(with(seconds(40)).has_value());
}

TEST(Pace, PreloadsNothingForAgentsThatArePaused) {
    SmallWorld world = measured({agent("one", "0 * * * *", "code")});
    EXPECT_TRUE(next_preload(world.state, kMidnight).has_value());
    world.state.agents.at({"one"}).paused = true;
    EXPECT_EQ(next_preload(world.state, kMidnight), std::nullopt);
}

}  // namespace
}  // namespace hotdesk
