// SPDX-License-Identifier: MIT
#include "core/watchdog.h"

#include <gtest/gtest.h>

#include "core/small_world.h"

namespace hotdesk {
namespace {

using Actions = std::vector<Action>;

// `a` is loaded on the desk and has just become idle.
SmallWorld idle_world(ModelSpec spec = small_model("a", gib(4))) {
    SmallWorld world(small_fleet({spec}));
    world.serves_first_call("a");
    world.ends(1);
    world.settle();
    return world;
}

TEST(Watchdog, UnloadsAModelThatWasIdleForKeepAndNotBefore) {
    SmallWorld world = idle_world();
    world.pass(minutes(10) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    auto decided = world.settle();
    ASSERT_EQ(decided.size(), 1u);
    EXPECT_EQ(decided[0], (Decision{UnloadModel{{"a"}},
                                    {Reason::kIdle, minutes(10).value, minutes(10).value}}));
}

TEST(Watchdog, LooksAgainWhenKeepIsOver) {
    SmallWorld world = idle_world();
    world.pass(minutes(10) - seconds(1));
    EXPECT_EQ(decide(world.state, world.seen).alarm.at, world.seen.now + seconds(1));
}

TEST(Watchdog, KeepsAPinnedModelUntilSomebodyAsks) {
    ModelSpec pinned = small_model("a", gib(4));
    pinned.pinned = true;
    SmallWorld world = idle_world(pinned);
    world.pass(hours(100));
    EXPECT_EQ(world.actions(), Actions{});
    world.happens(EvictWanted{{"a"}});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
}

TEST(Watchdog, NeverTouchesAModelWithARunningCall) {
    SmallWorld world = idle_world();
    world.call(2, "a");
    world.settle();
    world.happens(EvictWanted{{"a"}});
    world.pass(minutes(9));
    EXPECT_EQ(world.actions(), Actions{});
}

TEST(Watchdog, UnloadsWhatTheConfigNoLongerHas) {
    SmallWorld world = idle_world();
    world.happens(Configured{small_fleet({}), world.seen.wall});
    auto decided = world.settle();
    ASSERT_EQ(decided.size(), 1u);
    EXPECT_EQ(decided[0], (Decision{UnloadModel{{"a"}}, {.reason = Reason::kReloaded}}));
}

TEST(Watchdog, ANewKeepHoldsForAModelThatIsLoaded) {
    SmallWorld world = idle_world();
    ModelSpec longer = small_model("a", gib(4));
    longer.keep = minutes(20);
    world.happens(Configured{small_fleet({longer}), world.seen.wall});
    world.pass(minutes(20) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
}

TEST(Watchdog, AModelThatNeedsAnotherProcessIsLoadedAnew) {
    SmallWorld world = idle_world();
    ModelSpec wider = small_model("a", gib(4));
    wider.slots = 2;
    world.happens(Configured{small_fleet({wider}), world.seen.wall});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
}

TEST(Watchdog, GivesTheDeskBackWhenItStandsEmpty) {
    SmallWorld world = idle_world();
    world.pass(minutes(10));
    world.settle();
    EXPECT_EQ(world.state.desk.lease, LeasePhase::kHeld);
    world.unloads("a");
    EXPECT_EQ(world.actions(), Actions{ReleaseDesk{}});
}

}  // namespace
}  // namespace hotdesk
