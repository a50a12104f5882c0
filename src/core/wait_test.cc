// SPDX-License-Identifier: MIT
#include "core/wait.h"

#include <gtest/gtest.h>

#include "core/small_world.h"

namespace hotdesk {
namespace {

// "a" has the desk and has answered five calls of 2 s each; "b" loads in 12 s, "a" in 8.
SmallWorld two_measured(int slots = 1) {
    SmallWorld world(
        small_fleet({small_model("a", gib(4), slots), small_model("b", gib(4), slots)}));
    world.serves_first_call("a", seconds(8));
    world.ends(1);
    world.settle();
    for (const char* model : {"a", "b"}) {
        world.state.workers.at({model}).answers = 5;
        world.state.workers.at({model}).answer_time = seconds(2);
    }
    world.state.workers.at({"b"}).load_time = seconds(12);
    return world;
}

Wait wait_of(const SmallWorld& world, uint64_t call) {
    return waits_of(world.state, world.seen.now).at({call});
}

TEST(Wait, CountsThePlaceInTheLineOfTheModel) {
    SmallWorld world = two_measured();
    for (uint64_t id : {2, 3, 4}) world.call(id, "a");
    world.settle();  // 2 runs
    EXPECT_EQ(wait_of(world, 3).place, 1);
    EXPECT_EQ(wait_of(world, 4).place, 2);
    EXPECT_EQ(wait_of(world, 4).of, 2);
}

TEST(Wait, IsAboutWhatTheCallsAheadTook) {
    SmallWorld world = two_measured(2);
    for (uint64_t id : {2, 3, 4, 5}) world.call(id, "a");
    world.call(6, "b");
    world.settle();  // 2 and 3 run
    EXPECT_EQ(wait_of(world, 5).about, seconds(2));
    EXPECT_EQ(wait_of(world, 6).about, seconds(4) + seconds(12));
}

TEST(Wait, HasNoEstimateUnderFiveAnswers) {
    SmallWorld world = two_measured();
    world.state.workers.at({"a"}).answers = 4;
    for (uint64_t id : {2, 3}) world.call(id, "a");
    world.settle();
    EXPECT_EQ(wait_of(world, 3).about, std::nullopt);
}

TEST(Wait, IsBoundedByTheFormula) {
    SmallWorld world = two_measured();
    Policy& policy = world.state.fleet.policy;
    policy.call_max = seconds(30);
    policy.visit_max = seconds(60);
    world.call(2, "a");
    world.call(3, "b", hours(1));
    world.settle();
    world.pass(seconds(20));
    // What is left of gate_age, a load and a visit under way, and one round.
    Millis under_way = seconds(12) + seconds(90);
    Millis round = policy.kill_grace * 2 + seconds(8) + seconds(12) + seconds(90);
    EXPECT_EQ(wait_of(world, 3).latest, world.seen.now + seconds(40) + under_way + round);
}

TEST(Wait, IsNeverLaterThanTheCallsOwnDeadline) {
    SmallWorld world = two_measured();
    world.call(2, "b", seconds(7));
    world.settle();
    EXPECT_EQ(wait_of(world, 2).latest, world.seen.now + seconds(7));
}

TEST(Wait, HasNoBoundThatNobodyCanKeep) {
    SmallWorld world = two_measured();
    world.call(2, "a");
    world.call(3, "b");
    world.settle();
    EXPECT_TRUE(wait_of(world, 3).latest.has_value());
    SmallWorld stranger = world;
    stranger.happens(StrangerWaits{});
    EXPECT_EQ(wait_of(stranger, 3).latest, std::nullopt);
    world.state.workers.at({"b"}).load_time = {};
    EXPECT_EQ(wait_of(world, 3).latest, std::nullopt) << "nobody knows how long b loads";
}

TEST(Wait, OfAModelThatIsAloneIsItsCallsAhead) {
    SmallWorld world(small_fleet({small_model("a", gib(4))}));
    world.call(1, "a", hours(2));
    world.settle();
    world.happens(DeskGranted{});
    world.settle();
    world.loads("a");
    world.settle();
    world.call(2, "a", hours(2));
    world.settle();
    EXPECT_EQ(wait_of(world, 2).latest, world.seen.now + world.state.fleet.policy.call_max);
}

}  // namespace
}  // namespace hotdesk
