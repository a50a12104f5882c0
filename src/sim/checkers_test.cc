// SPDX-License-Identifier: MIT
// Each checker is shown a trace that breaks its promise, and the nearest one that keeps it.
#include "sim/checkers.h"

#include <gtest/gtest.h>

#include "sim/rest_checkers.h"
#include "sim/scene.h"
#include "sim/turn_checkers.h"

namespace hotdesk::sim {
namespace {

TEST(Checkers, OneLeaseOwnerSeesAWorkerOnADeskThatIsNotOurs) {
    Scene scene;
    scene.truth.desk_is_ours = true;
    scene.has_worker("a");
    EXPECT_FALSE(one_lease_owner(scene.turn({})));
    EXPECT_TRUE(one_lease_owner(scene.turn(decisions({ReleaseDesk{}}))));
    scene.truth.desk_is_ours = false;
    EXPECT_TRUE(one_lease_owner(scene.turn({})));
    scene.truth.workers.clear();
    EXPECT_TRUE(one_lease_owner(scene.turn(decisions({LoadModel{{"a"}}}))));
    scene.truth.desk_is_ours = scene.truth.desk_is_strangers = true;
    EXPECT_TRUE(one_lease_owner(scene.turn({})));
}

TEST(Checkers, DeviceNeverOvercommittedAddsUpWhatIsThereAndWhatIsStarted) {
    Scene scene;
    scene.has_worker("a");
    EXPECT_FALSE(device_never_overcommitted(scene.turn({})));
    EXPECT_TRUE(device_never_overcommitted(scene.turn(decisions({LoadModel{{"b"}}}))));
}

TEST(Checkers, CallHasASlotSeesAnotherModelAndACallTooMany) {
    Scene scene;
    for (uint64_t id : {1, 2}) scene.world.call(id, "a");
    scene.world.settle();
    scene.world.happens(DeskGranted{});
    scene.world.settle();
    auto start = decisions({StartCall{{1}, {"a"}}});
    EXPECT_TRUE(call_has_a_slot(scene.turn(start))) << "it is still loading";
    scene.world.loads("a");
    scene.world.settle();
    EXPECT_FALSE(call_has_a_slot(scene.turn(start)));
    EXPECT_TRUE(call_has_a_slot(scene.turn(decisions({StartCall{{1}, {"b"}}}))));
    scene.world.state.calls.at({2}).phase = CallPhase::kRunning;  // there is one slot
    EXPECT_TRUE(call_has_a_slot(scene.turn(start)));
}

TEST(Checkers, DemandLoadHasAWaiterSeesALoadForNobody) {
    Scene scene;
    std::vector<Decision> load{{LoadModel{{"a"}}, {.reason = Reason::kDemand}}};
    EXPECT_TRUE(demand_load_has_a_waiter(scene.turn(load)));
    scene.world.call(1, "a");
    scene.world.settle();
    EXPECT_FALSE(demand_load_has_a_waiter(scene.turn(load)));
    scene.world.happens(CallGone{{1}});
    EXPECT_TRUE(demand_load_has_a_waiter(scene.turn(load))) << "it hung up";
}

TEST(Checkers, ModelLineIsFifoSeesACallThatOvertakes) {
    Scene scene;
    for (uint64_t id : {1, 2}) scene.world.call(id, "a");
    scene.world.settle();
    EXPECT_TRUE(model_line_is_fifo(scene.turn(decisions({StartCall{{2}, {"a"}}}))));
    EXPECT_FALSE(model_line_is_fifo(scene.turn(decisions({StartCall{{1}, {"a"}}}))));
}

TEST(Checkers, NoCallCutBySwapSeesAnUnloadUnderACall) {
    Scene scene;
    scene.has_worker("a", 1);
    auto unload = decisions({UnloadModel{{"a"}}});
    EXPECT_TRUE(no_call_cut_by_swap(scene.turn(unload)));
    scene.has_worker("a", 0);
    EXPECT_FALSE(no_call_cut_by_swap(scene.turn(unload)));
}

TEST(Checkers, NoModelLoadedTwiceSeesASecondWorker) {
    Scene scene;
    auto load = decisions({LoadModel{{"a"}}});
    EXPECT_FALSE(no_model_loaded_twice(scene.turn(load)));
    scene.has_worker("a");
    EXPECT_TRUE(no_model_loaded_twice(scene.turn(load)));
}

TEST(Checkers, ProgressOrIdleSeesACallThatIsLeftWaiting) {
    Scene scene;
    scene.world.call(1, "a");
    EXPECT_FALSE(progress_or_idle(scene.rest()));  // queued for the desk
    scene.world.happens(DeskGranted{});
    scene.world.pass(minutes(1));
    Rest lost{scene.world.state, scene.world.seen, {scene.world.seen.now + seconds(10), {}}};
    EXPECT_TRUE(progress_or_idle(lost));
    EXPECT_FALSE(progress_or_idle(scene.rest()));  // loading
}

TEST(Checkers, AlarmBeforeFirstDeadlineSeesAnAlarmOneMillisecondLate) {
    Scene scene;
    scene.world.call(1, "a", seconds(3));
    Rest rest = scene.rest();
    EXPECT_FALSE(alarm_before_first_deadline(rest));
    rest.alarm.at = scene.world.seen.now + seconds(3);
    EXPECT_FALSE(alarm_before_first_deadline(rest));
    rest.alarm.at = rest.alarm.at + Millis{1};
    EXPECT_TRUE(alarm_before_first_deadline(rest));
    rest.alarm.at = scene.world.seen.now;
    EXPECT_TRUE(alarm_before_first_deadline(rest));
}

TEST(Checkers, AlarmBeforeFirstDeadlineKnowsTheSchedule) {
    Scene scene;
    Rest rest = scene.rest();
    rest.alarm.wall = scene.world.seen.wall + hours(1);
    EXPECT_FALSE(alarm_before_first_deadline(rest));
    rest.alarm.wall = rest.alarm.wall + Millis{1};
    EXPECT_TRUE(alarm_before_first_deadline(rest));
}

TEST(Checkers, DecideIsIdempotentSeesAStateThatIsNotSettled) {
    Scene scene;
    EXPECT_FALSE(decide_is_idempotent(scene.rest()));
    scene.world.call(1, "a");
    EXPECT_TRUE(decide_is_idempotent({scene.world.state, scene.world.seen, {}}));
}

// The firings of "inbox" in the hours after the Scene began.
struct Firings {
    Scene scene;
    EveryRunEndsOnce checker;
    Firings() {
        std::vector<Event> configured{Configured{scene.world.state.fleet, scene.world.seen.wall}};
        EXPECT_FALSE(checker.see(scene.turn({}, configured)));
    }
    Wall hour(int64_t n) { return scene.world.seen.wall + hours(n); }
    Violation see(Action action) { return checker.see(scene.turn(decisions({std::move(action)}))); }
};

TEST(Checkers, EveryRunEndsOnceSeesASecondStartAndASecondEnd) {
    Firings f;
    StartRun start{{1}, {"inbox"}, f.hour(1)};
    EXPECT_FALSE(f.see(start));
    EXPECT_TRUE(f.see(start));
    StartRun twice{{2}, {"inbox"}, f.hour(1)};
    EXPECT_TRUE(f.see(twice));
    EXPECT_FALSE(f.see(CloseRun{{1}, {"inbox"}}));
    EXPECT_TRUE(f.see(CloseRun{{1}, {"inbox"}}));
}

TEST(Checkers, EveryRunEndsOnceSeesAFiringLeftOutAndAWrongCount) {
    Firings left_out;
    EXPECT_TRUE(left_out.see(StartRun{{1}, {"inbox"}, left_out.hour(2)}));
    Firings counted;
    EXPECT_TRUE(counted.see(SkipFirings{{"inbox"}, counted.hour(1), counted.hour(3), 2}));
    Firings right;
    EXPECT_FALSE(right.see(SkipFirings{{"inbox"}, right.hour(1), right.hour(3), 3}));
    EXPECT_FALSE(right.see(HoldFiring{{"inbox"}, right.hour(4)}));
    EXPECT_FALSE(right.see(StartRun{{1}, {"inbox"}, right.hour(4)}));
}

TEST(Checkers, EveryRunEndsOnceSeesAHeldFiringThatTheHistoryPassedOver) {
    Firings f;
    EXPECT_FALSE(f.see(HoldFiring{{"inbox"}, f.hour(1)}));
    auto after_a_crash = [&](int64_t known) {
        EveryRunEndsOnce checker = f.checker;
        std::vector<Event> recovered{Recovered{{{{"inbox"}, f.hour(known)}}, {}}};
        return checker.see(f.scene.turn({}, recovered));
    };
    EXPECT_FALSE(after_a_crash(0)) << "it comes again";
    EXPECT_TRUE(after_a_crash(2)) << "nobody will ever answer it";
}

TEST(Checkers, EveryCallEndsOnceSeesNoEndTwoEndsAndAThirdStart) {
    Scene scene;
    EveryCallEndsOnce checker;
    scene.world.call(1, "a");
    std::vector<Event> arrived{CallArrived{.call = {1}, .run = {}, .agent = {}, .wanted = "a"}};
    EXPECT_FALSE(checker.see(scene.turn({}, arrived)));
    auto start = decisions({StartCall{{1}, {"a"}}});
    EXPECT_FALSE(checker.see(scene.turn(start)));
    EXPECT_FALSE(checker.see(scene.turn(start)));
    EXPECT_TRUE(checker.see(scene.turn(start)));
    auto close = decisions({CloseCall{.call = {1}}});
    EXPECT_TRUE(checker.see(scene.turn(close)));  // it is still in State
    scene.world.state.calls.clear();
    EXPECT_TRUE(checker.see(scene.turn(close)));
    EXPECT_FALSE(checker.see(scene.turn({})));
    EXPECT_FALSE(checker.see(scene.turn({}, arrived)).value_or("").empty());  // left without a word
}

TEST(Checkers, ReplayEqualsRecordSeesADecisionThatIsNotOurs) {
    Scene scene;
    std::vector<Event> events{Recovered{},
                              Configured{scene.world.state.fleet, scene.world.seen.wall}};
    ReplayEqualsRecord checker;
    EXPECT_FALSE(checker.see(scene.turn({}, events)));
    EXPECT_TRUE(checker.see(scene.turn(decisions({QueueForDesk{}}))));
}

}  // namespace
}  // namespace hotdesk::sim
