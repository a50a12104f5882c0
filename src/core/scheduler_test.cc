// SPDX-License-Identifier: MIT
#include "core/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/limits.h"
#include "core/small_world.h"

namespace hotdesk {
namespace {

using Actions = std::vector<Action>;

// Two models that exclude each other on a desk of 6 GiB less 256 MiB.
SmallWorld two_heavy(int slots = 1) {
    return SmallWorld(
        small_fleet({small_model("a", gib(4), slots), small_model("b", gib(4), slots)}));
}

// The desk is ours and `a` is loaded and idle.
SmallWorld with_a_loaded(int slots = 1) {
    SmallWorld world = two_heavy(slots);
    world.serves_first_call("a");
    world.ends(1);
    world.settle();
    return world;
}

CloseCall refused(uint64_t id, Code code, const char* model, Millis waited) {
    CloseCall word{.call = {id}, .outcome = CallOutcome::kRefused, .code = code};
    word.model = {model};
    word.waited = waited;
    return word;
}

TEST(Scheduler, QueuesForTheDeskBeforeItLoads) {
    SmallWorld world = two_heavy();
    world.call(1, "a");
    EXPECT_EQ(world.actions(), (Actions{RouteCall{{1}, {"a"}}, QueueForDesk{}}));
    EXPECT_EQ(world.actions(), Actions{});
    world.happens(DeskGranted{});
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"a"}}});
    EXPECT_EQ(world.actions(), Actions{});
    world.loads("a");
    EXPECT_EQ(world.actions(), (Actions{StartCall{{1}, {"a"}}}));
}

TEST(Scheduler, StartsCallsOfAModelInTheOrderOfArrivalAsSlotsAllow) {
    SmallWorld world = with_a_loaded(2);
    for (uint64_t id : {2, 3, 4}) world.call(id, "a");
    world.settle();
    EXPECT_EQ(world.state.calls.at({3}).phase, CallPhase::kRunning);
    EXPECT_EQ(world.state.calls.at({4}).phase, CallPhase::kWaiting);
    world.ends(2);
    world.settle();
    EXPECT_EQ(world.state.calls.at({4}).phase, CallPhase::kRunning);
}

// Interleaved requests must not thrash: strict order would need seven loads.
TEST(Scheduler, ServesABAACABCWithThreeLoads) {
    SmallWorld world(small_fleet(
        {small_model("a", gib(4)), small_model("b", gib(4)), small_model("c", gib(4))}));
    world.call(1, "a");
    for (int turn = 0; turn < 100; ++turn) {
        world.happens(DeskGranted{});
        world.settle();
        if (turn == 3)
            for (uint64_t id = 2; const char* model : {"a", "b", "a", "a", "c", "a", "b", "c"})
                world.call(id++, model);
        for (const char* model : {"a", "b", "c"}) {
            auto phase = world.state.workers.at({model}).phase;
            if (phase == WorkerPhase::kLoading) world.loads(model, seconds(1));
            if (phase == WorkerPhase::kUnloading) world.unloads(model);
        }
        world.settle();
        auto calls = world.state.calls;
        for (const auto& [id, call] : calls)
            if (call.phase == CallPhase::kRunning) world.ends(id.value);
        world.pass(Millis{200});
    }
    EXPECT_TRUE(world.state.calls.empty());
    for (const char* model : {"a", "b", "c"})
        EXPECT_EQ(world.state.workers.at({model}).loads, 1) << model;
}

TEST(Scheduler, ClosesTheGateWhenAnotherModelHasWaitedGateAgeAndNotBefore) {
    SmallWorld world = with_a_loaded();
    world.call(2, "a");
    world.call(3, "b");
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{SetGate{{3}}});
    world.call(4, "a");
    world.ends(2);
    // 4 is behind the gate: the desk goes to b now.
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
    EXPECT_EQ(world.state.calls.at({4}).phase, CallPhase::kWaiting);
}

TEST(Scheduler, NeverUnloadsAModelThatServes) {
    SmallWorld world = with_a_loaded();
    world.call(2, "a");
    world.call(3, "b");
    world.settle();
    world.pass(minutes(5));
    for (const Action& action : world.actions())
        EXPECT_FALSE(std::holds_alternative<UnloadModel>(action));
}

TEST(Scheduler, EvictsNothingForAModelThatCanNeverFit) {
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("huge", gib(9))});
    SmallWorld world(fleet);
    world.call(1, "a");
    world.settle();
    world.happens(DeskGranted{});
    world.settle();
    world.loads("a");
    world.ends(1);
    world.settle();
    world.call(2, "huge");
    EXPECT_EQ(world.actions(), (Actions{refused(2, Code::kNoSpace, "", {})}));
}

TEST(Scheduler, RefusesWhatBecameTooLargeWhileItWaited) {
    SmallWorld world = two_heavy();
    world.seen.device_total.reset();  // nobody knows: the call waits, and nothing is loaded
    world.call(1, "a");
    world.settle();
    world.happens(DeskGranted{});
    EXPECT_EQ(world.actions(), Actions{});
    world.seen.device_total = gib(2);
    EXPECT_EQ(world.actions().front(), Action{refused(1, Code::kNoSpace, "a", {})});
}

TEST(Scheduler, EndsAWaitAtItsLimitAndNotBefore) {
    SmallWorld world = two_heavy();
    world.call(1, "a", seconds(30));
    world.settle();
    world.pass(seconds(30) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions().front(), Action{refused(1, Code::kTimeout, "a", seconds(30))});
}

TEST(Scheduler, EndsARunningCallAtCallMax) {
    SmallWorld world = with_a_loaded();
    world.call(2, "a");
    world.settle();
    world.pass(world.state.fleet.policy.call_max - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    CloseCall expected = refused(2, Code::kTimeout, "a", {});
    expected.ran = world.state.fleet.policy.call_max;
    EXPECT_EQ(world.actions(), Actions{expected});
}

TEST(Scheduler, WaitsForALateProbeButNotForEver) {
    SmallWorld world = two_heavy();
    world.seen.device_free = gib(1);
    world.call(1, "a");
    world.settle();
    world.happens(DeskGranted{});
    world.pass(kProbeLagMax - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"a"}}});
}

TEST(Scheduler, LoadsAtOnceAfterACrashAndRetriesTheCallOnce) {
    SmallWorld world = with_a_loaded();
    world.call(2, "a");
    world.settle();
    Error died{Code::kUnavailable, "signal 9"};
    world.happens(WorkerGone{{"a"}, died, true});
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"a"}}});
    world.loads("a");
    EXPECT_EQ(world.actions(), (Actions{StartCall{{2}, {"a"}}}));
    world.happens(WorkerGone{{"a"}, died, true});
    auto decided = world.settle();
    ASSERT_FALSE(decided.empty());
    EXPECT_EQ(std::get<CloseCall>(decided.front().action).code, Code::kUnavailable);
    EXPECT_EQ(decided.front().why.reason, Reason::kWorkerDied);
}

TEST(Scheduler, DoesNotRetryACallThatHasSentBytes) {
    SmallWorld world = with_a_loaded();
    world.call(2, "a");
    world.settle();
    world.happens(CallStreaming{{2}});
    world.happens(WorkerGone{{"a"}, {Code::kUnavailable, "signal 9"}, true});
    EXPECT_EQ(std::get<CloseCall>(world.actions().front()).code, Code::kUnavailable);
}

TEST(Scheduler, TriesALoadWithoutMemoryThreeTimesAndThenTellsTheCallers) {
    SmallWorld world = two_heavy();
    world.call(1, "a");
    world.settle();
    world.happens(DeskGranted{});
    for (int failure = 1; failure <= kLoadFailuresMax; ++failure) {
        EXPECT_EQ(world.actions(), Actions{LoadModel{{"a"}}}) << failure;
        world.happens(WorkerGone{{"a"}, {Code::kNoSpace, "out of memory"}, false});
        if (failure < kLoadFailuresMax) world.pass(seconds(20));
    }
    EXPECT_EQ(std::get<CloseCall>(world.actions().front()).code, Code::kNoSpace);
}

TEST(Scheduler, TellsTheCallersAtOnceWhenTheFileIsBad) {
    SmallWorld world = two_heavy();
    world.call(1, "a");
    world.settle();
    world.happens(DeskGranted{});
    world.settle();
    world.happens(WorkerGone{{"a"}, {Code::kInvalid, "not a GGUF file"}, false});
    EXPECT_EQ(std::get<CloseCall>(world.actions().front()).code, Code::kInvalid);
}

TEST(Scheduler, GivesTheDeskToAStrangerWhenItsModelIsIdle) {
    SmallWorld world = with_a_loaded();
    world.happens(StrangerWaits{});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
    world.unloads("a");
    EXPECT_EQ(world.actions(), Actions{ReleaseDesk{}});
    world.happens(StrangerWaits{});  // old news, still on its way when the desk was given back
    world.call(2, "a");
    EXPECT_EQ(world.actions().back(), Action{QueueForDesk{}});
}

TEST(Scheduler, LoadsHostModelsBesideTheDeskAsFarAsRamGoes) {
    Fleet fleet = small_fleet({small_model("a", gib(4))});
    for (const char* name : {"t1", "t2"}) {
        ModelSpec tiny = small_model(name, {});
        tiny.placement = Placement::kHost;
        tiny.need.host = gib(8);  // 16 GiB less the reserve has room for one
        fleet.models.emplace(tiny.name, tiny);
    }
    SmallWorld world(fleet);
    world.call(1, "t1");
    world.call(2, "t2");
    EXPECT_EQ(world.actions(),
              (Actions{RouteCall{{1}, {"t1"}}, RouteCall{{2}, {"t2"}}, LoadModel{{"t1"}}}));
}

TEST(Scheduler, NeverLoadsAModelOverItsOwnLeavingWorker) {
    Fleet fleet = small_fleet({small_model("a", gib(1))});
    SmallWorld world(fleet);
    world.serves_first_call("a");
    fleet.models.at({"a"}).context = {4096};
    world.happens(Configured{fleet, world.seen.wall});
    world.call(2, "a");
    EXPECT_EQ(world.actions(), (Actions{RouteCall{{2}, {"a"}}}));
    world.ends(1);
    EXPECT_EQ(world.actions().back(), Action{UnloadModel{{"a"}}});
    world.unloads("a");
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"a"}}});
}

TEST(Scheduler, RefusesOneCallMoreThanWaitingMax) {
    Fleet fleet = small_fleet({small_model("a", gib(4))});
    fleet.policy.waiting_max = 1;
    SmallWorld world(fleet);
    world.call(1, "a");
    world.call(2, "a");
    EXPECT_EQ(world.actions(),
              (Actions{RouteCall{{1}, {"a"}}, refused(2, Code::kBusy, "", {}), QueueForDesk{}}));
}

TEST(Scheduler, KillsAnUnloadThatOutlastsItsGrace) {
    SmallWorld world = with_a_loaded();
    world.happens(EvictWanted{{"a"}});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
    world.pass(world.state.fleet.policy.kill_grace - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), (Actions{UnloadModel{{"a"}, true}}));
}

// ---- patience with an idle model ---------------------------------------------------------------

// Run 1 has had an answer from "a" and is in a tool call; "b" is wanted by call 3.
SmallWorld in_a_tool_call(Millis linger) {
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("b", gib(4))},
                              {small_agent("inbox", "0 * * * *")});
    fleet.policy.linger = linger;
    SmallWorld world(std::move(fleet));
    world.happens(RunWanted{{"inbox"}, world.seen.wall});
    world.settle();
    world.happens(RunStarted{{1}, 4711});
    world.happens(CallArrived{
        .call = {1}, .run = {1}, .agent = {"inbox"}, .wanted = "a", .wait = minutes(8)});
    world.settle();
    world.happens(DeskGranted{});
    world.settle();
    world.loads("a");
    world.settle();
    world.ends(1);
    world.settle();
    world.call(3, "b");
    return world;
}

TEST(Scheduler, KeepsAnIdleModelForARunThatIsInAToolCall) {
    SmallWorld world = in_a_tool_call(seconds(8));
    EXPECT_EQ(world.actions(), (Actions{RouteCall{{3}, {"b"}}}));
    world.pass(seconds(8) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    EXPECT_EQ(decide(world.state, world.seen).alarm.at, world.seen.now + Millis{1});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
}

TEST(Scheduler, LingersNoLongerThanTheRunLives) {
    SmallWorld world = in_a_tool_call(seconds(8));
    world.settle();
    world.happens(RunEnded{{1}, 0, ""});
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
}

// The call comes back and has no line yet in this round.
TEST(Scheduler, ServesARunThatReturnsInTheMomentItWouldSwap) {
    SmallWorld world = in_a_tool_call(seconds(8));
    world.settle();
    world.pass(seconds(8));
    world.happens(CallArrived{
        .call = {4}, .run = {1}, .agent = {"inbox"}, .wanted = "a", .wait = minutes(8)});
    EXPECT_EQ(world.actions(), (Actions{RouteCall{{4}, {"a"}}, StartCall{{4}, {"a"}}}));
}

TEST(Scheduler, NeitherLingersNorHoldsOnceSomebodyHasWaitedGateAge) {
    SmallWorld world = in_a_tool_call(minutes(30));
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age);
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
}

TEST(Scheduler, HoldsAnIdleModelForCallsOfTheSameMoment) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.hold = seconds(5);
    world.call(2, "b");
    world.settle();
    world.pass(seconds(5) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
}

// The gate stays closed for call 4 when call 3, who closed it, has hung up; an idle model behind it
// serves nobody, not even its own callers.
TEST(Scheduler, HoldsNothingBehindAClosedGate) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.hold = seconds(5);
    world.call(2, "a");
    world.call(3, "b");
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age - seconds(1));
    world.call(4, "b");
    world.settle();
    world.pass(seconds(1));
    EXPECT_EQ(world.actions(), Actions{SetGate{{4}}});
    world.call(5, "a");
    world.settle();
    world.happens(CallGone{{3}});
    world.ends(2);
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
}

// ---- interactive before batch ------------------------------------------------------------------

void person_calls(SmallWorld& world, uint64_t id, const char* wanted) {
    world.happens(CallArrived{
        .call = {id}, .wanted = wanted, .wait = minutes(8), .priority = Priority::kInteractive});
}

TEST(Scheduler, ServesAPersonBeforeBatchCallsThatAreYoung) {
    SmallWorld world = with_a_loaded();
    for (uint64_t id : {2, 3}) world.call(id, "a");
    person_calls(world, 4, "a");
    world.settle();  // 2 runs
    world.ends(2);
    world.settle();
    EXPECT_EQ(world.state.calls.at({4}).phase, CallPhase::kRunning);
}

TEST(Scheduler, LetsNobodyOvertakeACallThatHasWaitedGateAge) {
    SmallWorld world = with_a_loaded();
    for (uint64_t id : {2, 3}) world.call(id, "a");
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age);
    person_calls(world, 4, "a");
    world.ends(2);
    world.settle();
    EXPECT_EQ(world.state.calls.at({3}).phase, CallPhase::kRunning);
}

TEST(Scheduler, SwapsAnIdleModelOutForAPersonAtOnce) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.hold = seconds(5);
    person_calls(world, 2, "b");
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
}

// ---- slots, contexts and visits ----------------------------------------------------------------

TEST(Scheduler, LeavesACallInLineWhoseContextDoesNotFitBesideTheOthers) {
    SmallWorld world(small_fleet({small_model("a", gib(4), 4)}));
    world.state.fleet.models.at({"a"}).context = {1000};
    auto sized = [&](uint64_t id, int64_t size) {
        world.happens(CallArrived{.call = {id}, .wanted = "a", .wait = minutes(8), .size = {size}});
    };
    sized(1, 5000);  // alone, whatever its size: the worker has the last word
    sized(2, 600);
    sized(3, 10);
    world.settle();
    world.happens(DeskGranted{});
    world.settle();
    world.loads("a");
    world.settle();
    EXPECT_EQ(world.state.calls.at({1}).phase, CallPhase::kRunning);
    EXPECT_EQ(world.state.calls.at({3}).phase, CallPhase::kWaiting) << "it overtook call 2";
    world.ends(1);
    world.settle();
    EXPECT_EQ(world.state.calls.at({2}).phase, CallPhase::kRunning);
    EXPECT_EQ(world.state.calls.at({3}).phase, CallPhase::kRunning);
}

TEST(Scheduler, EndsAVisitThatTakesTooLongBehindTheGate) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.visit_max = seconds(30);
    for (uint64_t id : {2, 3, 4}) world.call(id, "a");
    world.call(5, "b");
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age);
    world.settle();
    EXPECT_EQ(world.state.desk.gate, CallId{5});
    world.ends(2);
    world.settle();
    world.pass(seconds(30));
    world.ends(3);
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
    EXPECT_EQ(world.state.calls.at({4}).phase, CallPhase::kWaiting);
}

TEST(Scheduler, ClosesNoGateWhileItLoads) {
    SmallWorld world = with_a_loaded();
    world.call(2, "b");
    world.settle();
    world.call(3, "a");
    world.happens(WorkerGone{{"a"}, {}, false});
    world.settle();
    world.pass(*world.state.fleet.policy.gate_age);
    world.call(4, "b");
    world.settle();
    EXPECT_EQ(world.state.desk.gate, CallId{});
    world.loads("b");
    world.settle();
    EXPECT_EQ(world.state.desk.gate, CallId{4}) << "what came while it loaded is before the gate";
}

TEST(Scheduler, FifoServesInTheOrderOfArrivalWithALoadForEachChange) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.queue = QueuePolicy::kFifo;
    world.call(2, "b");
    world.call(3, "a");
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{UnloadModel{{"a"}}});
    EXPECT_EQ(world.state.calls.at({3}).phase, CallPhase::kWaiting);
}

TEST(Scheduler, FifoIsNotHeldUpByAModelThatFailsToLoad) {
    SmallWorld world = with_a_loaded();
    world.state.fleet.policy.queue = QueuePolicy::kFifo;
    world.call(2, "b");
    world.settle();
    world.unloads("a");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(world.actions(), Actions{LoadModel{{"b"}}});
        world.happens(WorkerGone{{"b"}, {Code::kNoSpace, "out of memory"}, false});
    }
    world.call(3, "a");
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action{LoadModel{{"a"}}}) << "b is tried again in 5 s";
    world.loads("a", seconds(6));
    EXPECT_EQ(world.actions(), (Actions{StartCall{{3}, {"a"}}}));
}

// ---- ahead of the schedule ---------------------------------------------------------------------

TEST(Scheduler, LoadsAModelAheadOfItsAgentsWhenNobodyWaits) {
    AgentSpec coder = small_agent("coder", "0 * * * *");
    coder.task = "code";
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("b", gib(4))}, {coder});
    fleet.policy.preload = seconds(9);
    fleet.tasks = {{"code", {{"b"}}}};
    for (auto& [name, model] : fleet.models) model.pinned = true;
    SmallWorld world(std::move(fleet));
    world.serves_first_call("a");
    world.ends(1);
    world.settle();
    world.pass(hours(1) - seconds(10) - Millis{1});
    EXPECT_EQ(world.actions(), Actions{});
    world.pass(Millis{1});
    EXPECT_EQ(world.actions(), Actions{UnloadModel{{"a"}}});
    world.unloads("a");
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"b"}}});
    EXPECT_EQ(world.state.desk.preloaded_for, world.seen.wall + seconds(9));
}

TEST(Scheduler, LoadsNothingAheadInThePlaceOfAModelWithCallsBehindTheGate) {
    AgentSpec coder = small_agent("coder", "0 * * * *");
    coder.task = "code";
    Fleet fleet = small_fleet({small_model("a", gib(4)), small_model("b", gib(4))}, {coder});
    fleet.policy.preload = seconds(9);
    fleet.tasks = {{"code", {{"b"}}}};
    SmallWorld world(std::move(fleet));
    world.pass(minutes(58));
    world.serves_first_call("a");
    world.call(2, "b");
    world.settle();
    world.pass(seconds(60));
    EXPECT_EQ(world.actions(), Actions{SetGate{{2}}});
    world.call(3, "a");
    world.settle();
    world.pass(seconds(51));  // b's agent starts in 8 s
    world.happens(CallGone{{2}});
    world.ends(1);
    auto decided = world.actions();
    EXPECT_EQ(decided.back(), Action(StartCall{{3}, {"a"}}));
}

TEST(Scheduler, QueuesForTheDeskToLoadAhead) {
    AgentSpec coder = small_agent("coder", "0 * * * *");
    coder.task = "code";
    Fleet fleet = small_fleet({small_model("b", gib(4))}, {coder});
    fleet.policy.preload = seconds(9);
    fleet.tasks = {{"code", {{"b"}}}};
    SmallWorld world(std::move(fleet));
    world.pass(hours(1) - seconds(9));
    EXPECT_EQ(world.actions(), Actions{QueueForDesk{}});
    world.happens(DeskGranted{});
    EXPECT_EQ(world.actions(), Actions{LoadModel{{"b"}}});
}

}  // namespace
}  // namespace hotdesk
