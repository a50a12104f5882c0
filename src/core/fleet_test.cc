// SPDX-License-Identifier: MIT
#include "core/fleet.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "core/small_world.h"

namespace hotdesk {
namespace {

using Actions = std::vector<Action>;

constexpr Wall kMidnight{1'772'409'600'000};  // where a SmallWorld begins

SmallWorld hourly(Overlap overlap = Overlap::kSkip) {
    AgentSpec spec = small_agent("inbox", "0 * * * *");
    spec.overlap = overlap;
    return SmallWorld(small_fleet({}, {spec}));
}
Wall hour(int64_t n) {
    return kMidnight + hours(n);
}
StartRun start(uint64_t run, Wall due, Trigger trigger = Trigger::kSchedule) {
    return {{run}, {"inbox"}, due, trigger};
}
SkipFirings skip(Wall first, Wall last, int64_t count, Outcome outcome) {
    return {{"inbox"}, first, last, count, outcome};
}
// The run started and is alive.
void begin(SmallWorld& world, uint64_t run) {
    world.happens(RunStarted{{run}, 100});
}

TEST(Fleet, StartsARunWhenItIsDueAndNotBefore) {
    SmallWorld world = hourly();
    world.pass(hours(1) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{start(1, hour(1))});
    EXPECT_EQ(world.actions(), Actions{});
}

TEST(Fleet, SkipsAFiringWhileTheRunBeforeIsAlive) {
    SmallWorld world = hourly();
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.state.runs.at({1}).timeout = {};
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), Actions{skip(hour(2), hour(2), 1, Outcome::kSkipped)});
}

TEST(Fleet, QueuesOverlappingFiringsAndStartsTheOldestFirst) {
    SmallWorld world = hourly(Overlap::kQueue);
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.state.runs.at({1}).timeout = {};
    for (int64_t n : {2, 3}) {
        world.pass(hours(1));
        EXPECT_EQ(world.actions(), (Actions{HoldFiring{{"inbox"}, hour(n)}}));
    }
    world.happens(RunEnded{{1}, 0, ""});
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{start(2, hour(2))});
    EXPECT_EQ(world.state.agents.at({"inbox"}).held, std::vector<Wall>{hour(3)});
}

TEST(Fleet, KeepsOnlyTheLatestOfTheOverlappingFirings) {
    SmallWorld world = hourly(Overlap::kLatest);
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.state.runs.at({1}).timeout = {};
    world.pass(hours(1));
    world.settle();
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), (Actions{HoldFiring{{"inbox"}, hour(3)},
                                        skip(hour(2), hour(2), 1, Outcome::kSkipped)}));
    world.happens(RunEnded{{1}, 0, ""});
    EXPECT_EQ(world.actions().back(), Action{start(2, hour(3))});
}

// The history knows the latest firing that was answered; what it passes over is lost in a crash.
TEST(Fleet, AnswersWhatItHoldsBeforeItPassesOverNewerFirings) {
    SmallWorld world = hourly(Overlap::kQueue);
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.state.runs.at({1}).timeout = {};
    world.pass(hours(1));
    world.settle();
    world.pass(hours(3) + minutes(5));
    EXPECT_EQ(world.actions(), (Actions{skip(hour(2), hour(2), 1, Outcome::kMissed),
                                        skip(hour(3), hour(4), 2, Outcome::kMissed),
                                        HoldFiring{{"inbox"}, hour(5)}}));
}

TEST(Fleet, HoldsTheNewestFiringsWhenThereAreTooMany) {
    SmallWorld world = hourly(Overlap::kQueue);
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.state.runs.at({1}).timeout = {};
    for (int64_t n = 2; n < 2 + kHeldFiringsMax; ++n) {
        world.pass(hours(1));
        EXPECT_EQ(world.actions(), (Actions{HoldFiring{{"inbox"}, hour(n)}}));
    }
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), (Actions{skip(hour(2), hour(2), 1, Outcome::kSkipped),
                                        HoldFiring{{"inbox"}, hour(2 + kHeldFiringsMax)}}));
    EXPECT_EQ(world.state.agents.at({"inbox"}).held.front(), hour(3));
}

TEST(Fleet, CatchesUpInsideTheGraceAndMissesBeyondIt) {
    for (Millis beyond : {Millis{-1}, Millis{0}, Millis{1}}) {
        SmallWorld world = hourly();
        world.pass(hours(1) + minutes(30) + beyond);  // the grace is 30 min
        Actions expected = beyond > Millis{} ? Actions{skip(hour(1), hour(1), 1, Outcome::kMissed)}
                                             : Actions{start(1, hour(1), Trigger::kCatchUp)};
        EXPECT_EQ(world.actions(), expected) << beyond.value;
    }
}

TEST(Fleet, DoesNotCatchUpWhenToldToSkip) {
    AgentSpec spec = small_agent("inbox", "0 * * * *");
    spec.catch_up = CatchUp::kSkip;
    SmallWorld world(small_fleet({}, {spec}));
    world.pass(hours(1) + seconds(61));
    EXPECT_EQ(world.actions(), Actions{skip(hour(1), hour(1), 1, Outcome::kMissed)});
}

TEST(Fleet, MissesAllButTheLatestAfterALongPause) {
    SmallWorld world = hourly();
    world.pass(hours(5) + minutes(5));
    EXPECT_EQ(world.actions(), (Actions{skip(hour(1), hour(4), 4, Outcome::kMissed),
                                        start(1, hour(5), Trigger::kCatchUp)}));
}

TEST(Fleet, SpacesTheRunsThatCatchUp) {
    SmallWorld world(
        small_fleet({}, {small_agent("x", "0 * * * *"), small_agent("y", "0 * * * *")}));
    world.pass(hours(1) + minutes(5));
    EXPECT_EQ(world.actions().size(), 1u);
    world.pass(kCatchUpSpacing - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), (Actions{StartRun{{2}, {"y"}, hour(1), Trigger::kCatchUp}}));
}

TEST(Fleet, StopsARunAtItsTimeoutButDoesNotCountItsWaiting) {
    AgentSpec spec = small_agent("inbox", "0 * * * *");
    spec.timeout = seconds(5);
    SmallWorld world(small_fleet({small_model("a", gib(4))}, {spec}));
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.pass(seconds(1));
    world.happens(CallArrived{{1}, {1}, {"inbox"}, "a", minutes(8)});
    world.settle();
    world.pass(seconds(8));  // the desk is somebody else's
    EXPECT_EQ(world.actions(), Actions{});
    world.happens(CallGone{{1}});
    world.settle();
    world.pass(seconds(4) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), (Actions{StopRun{{1}}}));
    world.happens(RunEnded{{1}, 143, ""});
    EXPECT_EQ(world.actions(),
              (Actions{CloseRun{{1}, {"inbox"}, Outcome::kTimedOut, 143, seconds(5), seconds(8)}}));
}

TEST(Fleet, KillsARunThatOutlastsItsGrace) {
    SmallWorld world = hourly();
    world.pass(hours(1));
    world.settle();
    begin(world, 1);
    world.happens(RunUnwanted{{1}});
    EXPECT_EQ(world.actions(), (Actions{StopRun{{1}}}));
    world.pass(world.state.fleet.policy.kill_grace - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), (Actions{StopRun{{1}, true}}));
}

TEST(Fleet, NeverHasMoreRunsAliveThanRunsMax) {
    Fleet fleet = small_fleet({}, {small_agent("x", "0 * * * *"), small_agent("y", "0 * * * *")});
    fleet.policy.runs_max = 1;
    SmallWorld world(fleet);
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), (Actions{StartRun{{1}, {"x"}, hour(1)}}));
    world.happens(RunEnded{{1}, 0, ""});
    EXPECT_EQ(world.actions().back(), (Action{StartRun{{2}, {"y"}, hour(1)}}));
}

TEST(Fleet, SkipsEveryFiringOfAPausedAgentAtOnce) {
    SmallWorld world = hourly();
    world.happens(PauseWanted{{"inbox"}, true});
    world.pass(hours(20));
    EXPECT_EQ(world.actions(), Actions{skip(hour(1), hour(20), 20, Outcome::kSkipped)});
    world.happens(PauseWanted{{"inbox"}, false});
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), Actions{start(1, hour(21))});
}

TEST(Fleet, LeavesFiringsDueWhileItDrains) {
    SmallWorld world = hourly();
    world.happens(DrainWanted{});
    world.pass(hours(2));
    EXPECT_EQ(world.actions(), Actions{});
    EXPECT_EQ(world.state.agents.at({"inbox"}).next_due, hour(1));
}

TEST(Fleet, RunsByHandAndKeepsTheSchedule) {
    SmallWorld world = hourly();
    world.happens(RunWanted{{"inbox"}, kMidnight});
    EXPECT_EQ(world.actions(), Actions{start(1, kMidnight, Trigger::kManual)});
    EXPECT_EQ(world.state.agents.at({"inbox"}).next_due, hour(1));
}

TEST(Fleet, GivesEachAskingItsOwnRunThoughTheyCameInOneMillisecond) {
    SmallWorld world = hourly();
    world.happens(RunWanted{{"inbox"}, kMidnight, {1}});
    world.happens(RunWanted{{"inbox"}, kMidnight, {2}});
    EXPECT_EQ(world.actions(), Actions{start(1, kMidnight, Trigger::kManual)});
    EXPECT_EQ(world.state.agents.at({"inbox"}).asked, (std::vector<Asked>{{{2}, kMidnight}}));
    world.happens(RunEnded{{1}, 0, ""});
    EXPECT_EQ(world.actions().back(), Action{start(2, kMidnight, Trigger::kManual)});
}

TEST(Fleet, GivesAReservedRunIdToNobodyElse) {
    Fleet fleet = small_fleet({}, {small_agent("x", "0 * * * *"), small_agent("y", "")});
    fleet.policy.runs_max = 1;
    SmallWorld world(fleet);
    world.pass(hours(1));
    EXPECT_EQ(world.actions(), (Actions{StartRun{{1}, {"x"}, hour(1)}}));
    world.happens(RunWanted{{"y"}, hour(1), {2}});
    world.happens(RunWanted{{"y"}, hour(1), {1}});  // taken: it is given a free one at its start
    EXPECT_EQ(world.state.next_run, RunId{3});
    world.happens(RunEnded{{1}, 0, ""});
    EXPECT_EQ(world.actions().back(), (Action{StartRun{{2}, {"y"}, hour(1), Trigger::kManual}}));
    world.happens(RunEnded{{2}, 0, ""});
    EXPECT_EQ(world.actions().back(), (Action{StartRun{{3}, {"y"}, hour(1), Trigger::kManual}}));
}

TEST(Fleet, StaggersByNameInsideATenthOfThePeriod) {
    Policy policy;
    policy.stagger = seconds(60);
    std::set<Millis> shares;
    for (const char* name : {"a", "b", "c", "d"}) {
        AgentState state{.share = share_of({name}, 0, 1)};
        auto share = [&](const char* schedule, Wall due) {
            return start_of(policy, small_agent(name, schedule), state, due) - due;
        };
        EXPECT_EQ(share("0 * * * *", hour(1)), share("0 * * * *", hour(2)));
        EXPECT_LT(share("0 * * * *", hour(1)), seconds(60));
        EXPECT_LT(share("* * * * *", hour(1)), seconds(6));
        EXPECT_EQ(share("0 * * * *", hour(1)), share("", hour(1)));
        shares.insert(share("0 * * * *", hour(1)));
    }
    EXPECT_EQ(shares.size(), 4u);
}

// Otherwise each tick would need both models twice.
TEST(Fleet, StartsTheAgentsOfOneModelAfterThoseOfTheOther) {
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("b", gib(4))});
    fleet.policy.stagger = seconds(60);
    fleet.tasks = {{"write", {{"b"}}}, {"code", {{"a"}}}};
    for (int i = 0; i < 20; ++i) {
        AgentSpec agent = small_agent(("agent-" + std::to_string(i)).c_str(), "0 * * * *");
        agent.task = i % 2 == 0 ? "write" : "code";
        fleet.agents.emplace(agent.name, agent);
    }
    SmallWorld world(std::move(fleet));
    for (const auto& [start, name] : world.state.due) {
        bool first = world.state.fleet.agents.at(name).task == "code";
        EXPECT_EQ(start < hour(1) + seconds(30), first) << name.value;
    }
}

TEST(Fleet, RunsNothingTwiceWhenTheClockIsSetBackAndTheScheduleChanges) {
    SmallWorld world = hourly();
    world.pass(hours(1));
    world.settle();
    world.happens(RunEnded{{1}, 0, ""});
    world.settle();
    world.seen.wall = kMidnight + minutes(30);
    world.happens(
        Configured{small_fleet({}, {small_agent("inbox", "0,30 * * * *")}), world.seen.wall});
    world.pass(minutes(30));
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(minutes(30));
    EXPECT_EQ(world.actions(), Actions{start(2, hour(1) + minutes(30))});
}

TEST(Fleet, BeginsAnewWhenTheClockTurnsOutToHaveBeenFarAhead) {
    for (Millis beyond : {Millis{0}, Millis{1}}) {
        SmallWorld world = hourly();
        world.pass(hours(9));
        world.settle();
        world.seen.wall = hour(9) - kSetBackMax - beyond;
        world.happens(Configured{world.state.fleet, world.seen.wall});
        const Wall next = beyond == Millis{} ? hour(10) : hour(6);
        EXPECT_EQ(world.state.agents.at({"inbox"}).next_due, next) << beyond.value;
    }
}

TEST(Fleet, SaysThatARunWithTheDeskRanIntoItsTimeout) {
    AgentSpec spec = small_agent("inbox", "");
    spec.gpu = GpuUse::kRun;
    spec.timeout = minutes(2);
    for (Millis early : {Millis{0}, Millis{1}}) {
        SmallWorld world(small_fleet({}, {spec}));
        world.happens(RunWanted{{"inbox"}, kMidnight, {1}});
        world.settle();
        begin(world, 1);
        world.pass(spec.timeout - early);
        world.happens(RunEnded{{1}, 124, ""});
        const Why expected = early == Millis{} ? Why{Reason::kRunTimeout, 120'000, 120'000}
                                               : Why{.reason = Reason::kExited, .have = 124};
        EXPECT_EQ(world.settle().back().why, expected) << early.value;
    }
}

TEST(Fleet, ReadsAnOutcomeFromTheExitCode) {
    auto ended = [](int code) { return outcome_of(hotdesk::Run{.exit_code = code}); };
    EXPECT_EQ(ended(0), Outcome::kDone);
    EXPECT_EQ(ended(1), Outcome::kFailed);
    EXPECT_EQ(ended(75), Outcome::kSkipped);
    EXPECT_EQ(ended(124), Outcome::kTimedOut);
    EXPECT_EQ(outcome_of(hotdesk::Run{.ends_as = Outcome::kInterrupted}), Outcome::kInterrupted);
    EXPECT_EQ(outcome_of(hotdesk::Run{.error = "no such file"}), Outcome::kFailed);
}

}  // namespace
}  // namespace hotdesk
