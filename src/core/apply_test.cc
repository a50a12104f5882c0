// SPDX-License-Identifier: MIT
#include "core/step.h"  // declares apply

#include <gtest/gtest.h>

#include "core/limits.h"
#include "core/small_world.h"

namespace hotdesk {
namespace {

TEST(Apply, IgnoresEventsAboutWhatIsNotThere) {
    SmallWorld world(small_fleet({small_model("a", gib(4))}));
    const State before = world.state;
    for (const Event& event : std::vector<Event>{
             RunStarted{{9}, 1}, RunEnded{{9}, 0, ""}, CallStreaming{{9}}, CallGone{{9}},
             CallFinished{{9}, {}, {}, {}}, CallBroken{{9}, {}}, WorkerReady{{"a"}, {}},
             WorkerGone{{"a"}, {}, true}, WorkerLoading{{"x"}, 1}, DeskGranted{},
             RunWanted{{"x"}, {}}, RunUnwanted{{9}}, PauseWanted{{"x"}}, EvictWanted{{"a"}}})
        world.happens(event);
    EXPECT_EQ(world.state, before);
}

TEST(Apply, CountsAWaitOnceHoweverManyCallsOverlap) {
    SmallWorld world(small_fleet({}, {small_agent("x", "0 * * * *")}));
    world.pass(hours(1));
    world.settle();
    world.happens(RunStarted{{1}, 7});
    auto call = [&](uint64_t id) { world.happens(CallArrived{{id}, {1}, {"x"}, "a", minutes(1)}); };
    call(1);
    world.pass(seconds(1));
    call(2);
    world.pass(seconds(1));
    world.happens(CallGone{{1}});
    world.pass(seconds(1));
    world.happens(CallGone{{2}});
    world.pass(seconds(5));
    EXPECT_EQ(world.state.runs.at({1}).waited, seconds(3));
}

TEST(Apply, TriesALoadAgainAtOnceThenAfterLongerAndLongerPauses) {
    SmallWorld world(small_fleet({small_model("a", gib(4))}));
    Worker& worker = world.state.workers.at({"a"});
    for (Millis expected : {Millis{}, seconds(5), seconds(10), seconds(20), seconds(40),
                            kLoadBackoffMax, kLoadBackoffMax}) {
        world.happens(Intended{{LoadModel{{"a"}}, {}}});
        world.happens(WorkerGone{{"a"}, {Code::kUnavailable, "signal 11"}, true});
        EXPECT_EQ(worker.retry_at - world.seen.now, expected);
    }
    world.happens(Intended{{LoadModel{{"a"}}, {}}});
    world.happens(WorkerReady{{"a"}, {}});
    EXPECT_EQ(worker.failures, 0);
}

TEST(Apply, KeepsTheHistorysLastFiringOverTheFirstConfig) {
    SmallWorld world(small_fleet({}));
    world.state = {};
    Wall now = world.seen.wall;
    world.happens(Recovered{{{{"x"}, now - hours(3)}}, {42}});
    world.happens(Configured{small_fleet({}, {small_agent("x", "0 * * * *")}), now});
    EXPECT_EQ(world.state.agents.at({"x"}).next_due, now - hours(2));
    EXPECT_EQ(world.state.next_run, RunId{42});
}

TEST(Apply, LeavesNothingOfAnAgentThatTheConfigNoLongerHas) {
    SmallWorld world(small_fleet({}, {small_agent("x", "0 * * * *")}));
    world.happens(Configured{small_fleet({}), world.seen.wall});
    EXPECT_TRUE(world.state.agents.empty());
    EXPECT_TRUE(world.state.due.empty());
}

}  // namespace
}  // namespace hotdesk
