// SPDX-License-Identifier: MIT
// Each promise of the queue is shown a trace that breaks it, and the nearest one that keeps it.
#include "sim/queue_checkers.h"

#include <gtest/gtest.h>

#include "sim/scene.h"

namespace hotdesk::sim {
namespace {

TEST(QueueCheckers, LeaseIsFifoSeesATicketOutOfOrder) {
    LeaseIsFifo checker;
    EXPECT_FALSE(checker.granted(1));
    EXPECT_FALSE(checker.granted(3));
    EXPECT_TRUE(checker.granted(2));
    EXPECT_TRUE(checker.granted(3));
}

// "a" is loaded and serves call 1; call 2 waits for "b".
struct Desk : Scene {
    Desk() {
        world.serves_first_call("a");
        world.call(2, "b");
        world.settle();
    }
    Rest open_gate_rest() {
        world.state.desk.gate = {};
        return {world.state, world.seen, {}};
    }
};

TEST(QueueCheckers, GateClosesInTimeSeesAGateThatIsStillOpen) {
    Desk desk;
    desk.world.pass(seconds(60) - Millis{1});
    EXPECT_FALSE(gate_closes_in_time(desk.open_gate_rest()));
    desk.world.pass(Millis{1});
    EXPECT_TRUE(gate_closes_in_time(desk.open_gate_rest()));
    desk.world.settle();
    EXPECT_FALSE(gate_closes_in_time({desk.world.state, desk.world.seen, {}}));
    Rest rest = desk.open_gate_rest();
    desk.world.state.workers.at({"a"}).phase = WorkerPhase::kUnloading;
    EXPECT_FALSE(gate_closes_in_time(rest)) << "its turn is coming";
}

TEST(QueueCheckers, GateHoldsSeesANewerCallAndAVisitWithoutEnd) {
    Desk desk;
    GateHolds checker;
    auto start = [](uint64_t id) { return decisions({StartCall{{id}, {"a"}}}); };
    EXPECT_FALSE(checker.see(desk.turn(start(9)))) << "the gate is open";
    EXPECT_FALSE(checker.see(desk.turn(decisions({SetGate{{5}}}))));
    EXPECT_FALSE(checker.see(desk.turn(start(5))));
    EXPECT_TRUE(checker.see(desk.turn(start(6))));
    desk.world.pass(desk.world.state.fleet.policy.visit_max - Millis{1});
    EXPECT_FALSE(checker.see(desk.turn(start(4))));
    desk.world.pass(Millis{1});
    EXPECT_TRUE(checker.see(desk.turn(start(4))));
    EXPECT_FALSE(checker.see(desk.turn(decisions({LoadModel{{"b"}}}))));
    EXPECT_FALSE(checker.see(desk.turn(start(6)))) << "a load opens it";
}

TEST(QueueCheckers, GateHoldsSeesAGateThatOpensTooSoon) {
    Desk desk;
    GateHolds checker;
    auto open = decisions({SetGate{}});
    EXPECT_TRUE(checker.see(desk.turn(open))) << "call 2 waits for b";
    desk.world.happens(CallGone{{2}});
    EXPECT_FALSE(checker.see(desk.turn(open)));
}

TEST(QueueCheckers, EveryLoadServesSeesAModelThatLeavesUnused) {
    auto unloaded_after = [](auto meanwhile) {
        Desk desk;
        EveryLoadServes checker;
        EXPECT_FALSE(checker.see(desk.turn({{LoadModel{{"b"}}, {.reason = Reason::kDemand}}})));
        meanwhile(desk, checker);
        return checker.see(desk.turn({{UnloadModel{{"b"}}, {.reason = Reason::kMakeRoom}}}));
    };
    EXPECT_TRUE(unloaded_after([](Desk&, EveryLoadServes&) {}));
    EXPECT_FALSE(unloaded_after([](Desk& desk, EveryLoadServes& checker) {
        EXPECT_FALSE(checker.see(desk.turn(decisions({StartCall{{2}, {"b"}}}))));
    }));
    EXPECT_FALSE(unloaded_after([](Desk& desk, EveryLoadServes&) {
        desk.world.happens(CallGone{{2}});
    })) << "whom it was loaded for has hung up";
    EXPECT_FALSE(unloaded_after([](Desk& desk, EveryLoadServes& checker) {
        EXPECT_FALSE(
            checker.see(desk.turn({{UnloadModel{{"b"}}, {.reason = Reason::kEvictAsked}}})));
    }));
}

TEST(QueueCheckers, EveryLoadServesKnowsWhomALoadIsFor) {
    auto unloaded_under = [](QueuePolicy policy) {
        Desk desk;
        desk.world.state.fleet.policy.queue = policy;
        desk.world.call(3, "b");
        desk.world.settle();
        EveryLoadServes checker;
        EXPECT_FALSE(checker.see(desk.turn({{LoadModel{{"b"}}, {.reason = Reason::kDemand}}})));
        desk.world.happens(CallGone{{2}});
        return checker.see(desk.turn({{UnloadModel{{"b"}}, {.reason = Reason::kMakeRoom}}}));
    };
    EXPECT_TRUE(unloaded_under(QueuePolicy::kGba)) << "call 3 is of the same model";
    EXPECT_FALSE(unloaded_under(QueuePolicy::kFifo)) << "it was loaded for call 2";
}

TEST(QueueCheckers, EveryLoadServesSeesALoadAheadThatIsInTheWayOrComesTwice) {
    auto ahead_of = [](int64_t start) {
        return std::vector<Decision>{
            {LoadModel{{"a"}}, {.reason = Reason::kPreload, .have = start}}};
    };
    Desk desk;
    EXPECT_TRUE(EveryLoadServes{}.see(desk.turn(ahead_of(1000)))) << "call 2 waits for b";
    desk.world.happens(CallGone{{2}});
    EveryLoadServes checker;
    EXPECT_FALSE(checker.see(desk.turn(ahead_of(1000))));
    EXPECT_TRUE(checker.see(desk.turn(ahead_of(1000))));
    EXPECT_FALSE(checker.see(desk.turn(ahead_of(1001))));
}

// One call of a model with one slot: gate_age and next to nothing.
TEST(QueueCheckers, WaitIsBoundedSeesAWaitBeyondTheBound) {
    auto started_after = [](Millis waited, const std::vector<Event>& events = {}) {
        Desk desk;
        desk.world.state.calls.at({2}).waited = waited;
        return WaitIsBounded{}.see(desk.turn(decisions({StartCall{{2}, {"b"}}}), events));
    };
    EXPECT_FALSE(started_after(seconds(60)));
    EXPECT_TRUE(started_after(seconds(70)));
    EXPECT_FALSE(started_after(seconds(70), {StrangerWaits{}})) << "a stranger voids the bound";
}

TEST(QueueCheckers, WaitIsBoundedAddsWhatTheDayHasShown) {
    Desk desk;
    WaitIsBounded checker;
    auto load = [&](const char* model, Millis takes) {
        EXPECT_FALSE(checker.see(desk.turn(decisions({LoadModel{{model}}}))));
        desk.world.pass(takes);
        EXPECT_FALSE(checker.see(desk.turn({}, {WorkerReady{{model}, {}}})));
    };
    load("a", seconds(8));
    load("b", seconds(12));
    desk.world.state.calls.at({2}).waited = seconds(110);
    auto start = decisions({StartCall{{2}, {"b"}}});
    // 60 + 12 + 20 s of one call, and for each of both models its load and 20 s: 152 s and news.
    EXPECT_FALSE(checker.see(desk.turn(start)));
    desk.world.state.calls.at({2}).waited = seconds(160);
    EXPECT_TRUE(checker.see(desk.turn(start)));
}

}  // namespace
}  // namespace hotdesk::sim
