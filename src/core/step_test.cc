// SPDX-License-Identifier: MIT
#include "core/step.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "core/small_world.h"

namespace hotdesk {
namespace {

TEST(Decide, WantsNothingInAnEmptyWorldAndLooksAgainBeforeLong) {
    SmallWorld world(small_fleet({}));
    Plan plan = decide(world.state, world.seen);
    EXPECT_TRUE(plan.decisions.empty());
    EXPECT_EQ(plan.alarm.at, world.seen.now + kSleepMax);
}

TEST(Decide, SaysTheSameTwice) {
    SmallWorld world(small_fleet({small_model("a", gib(4))}, {small_agent("x", "* * * * *")}));
    world.pass(minutes(1));
    world.call(1, "a");
    Plan plan = decide(world.state, world.seen);
    EXPECT_EQ(plan.decisions.size(), 2u);
    EXPECT_EQ(plan, decide(world.state, world.seen));
}

TEST(Decide, SetsTheAlarmToTheFirstDeadlineOfAll) {
    SmallWorld world(small_fleet({small_model("a", gib(4))}, {small_agent("x", "0 * * * *")}));
    world.call(1, "a", seconds(7));
    world.call(2, "a", seconds(5));
    world.settle();
    Plan plan = decide(world.state, world.seen);
    EXPECT_EQ(plan.alarm, (Alarm{world.seen.now + seconds(5), world.seen.wall + hours(1)}));
}

}  // namespace
}  // namespace hotdesk
