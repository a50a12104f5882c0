// SPDX-License-Identifier: MIT
#include "daemon/gateway_place.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

Call waiting(uint64_t id, const char* model) {
    Call call;
    call.id = CallId{id};
    call.model = {model};
    call.phase = CallPhase::kWaiting;
    return call;
}

ModelSpec desk_model(const char* name) {
    ModelSpec spec;
    spec.name = {name};
    return spec;
}

// gemma has the desk; two calls wait for qwen, one runs on gemma and one waits for it.
State two_models() {
    State state;
    for (const char* name : {"gemma", "qwen"}) state.fleet.models[{name}] = desk_model(name);
    for (const Call& call :
         {waiting(1, "qwen"), waiting(2, "gemma"), waiting(3, "gemma"), waiting(4, "qwen")})
        state.calls[call.id] = call;
    state.calls[CallId{2}].phase = CallPhase::kRunning;
    state.workers[{"qwen"}];
    state.workers[{"gemma"}].phase = WorkerPhase::kReady;
    state.workers[{"gemma"}].spec = desk_model("gemma");
    return state;
}

TEST(Place, CountsTheWaitingCallsOfTheSameModelInTheirOrder) {
    const std::map<CallId, Place> expected = {
        {CallId{1}, {1, 2, {"qwen"}, {"gemma"}, -1, {}, {}}},
        {CallId{3}, {1, 1, {"gemma"}, {}, -1, {}, {}}},
        {CallId{4}, {2, 2, {"qwen"}, {"gemma"}, -1, {}, {}}},
    };
    EXPECT_EQ(places(two_models(), {}), expected);
}

TEST(Place, SaysHowFarTheModelIsLoaded) {
    State state = two_models();
    state.workers[{"qwen"}].phase = WorkerPhase::kLoading;
    state.workers[{"qwen"}].permille = 437;
    EXPECT_EQ(waiting_comment(places(state, {})[CallId{4}]),
              ": hotdesk waiting position=2 of=2 model=qwen loading=43%\n\n");
}

TEST(Place, AModelBesideTheDeskIsBehindNobody) {
    State state = two_models();
    state.fleet.models[{"qwen"}].placement = Placement::kHost;
    EXPECT_EQ(waiting_comment(places(state, {})[CallId{1}]),
              ": hotdesk waiting position=1 of=2 model=qwen\n\n");
}

TEST(Place, ACallThatIsInNoLineStillGetsAComment) {
    EXPECT_EQ(waiting_comment({}), ": hotdesk waiting\n\n");
}

TEST(Readiness, FailsWhenTheOldestWaiterIsTooOldAndNotBefore) {
    State state;
    Call call = waiting(1, "qwen");
    call.arrived = Instant{1000};
    call.deadline = call.arrived + minutes(8);
    state.calls[call.id] = call;
    EXPECT_TRUE(readiness(state, call.arrived + minutes(10)).is_ready);
    EXPECT_EQ(readiness(state, call.arrived + minutes(10) + Millis{1}),
              (Readiness{false, "call 1 has waited 10 min, the bound is 10 min"}));
    state.calls[call.id].deadline = call.arrived + minutes(20);
    EXPECT_TRUE(readiness(state, call.arrived + minutes(20)).is_ready);
    EXPECT_FALSE(readiness(state, call.arrived + minutes(20) + Millis{1}).is_ready);
    state.calls[call.id].phase = CallPhase::kRunning;
    EXPECT_TRUE(readiness(state, call.arrived + hours(2)).is_ready);
    state.draining = true;
    EXPECT_FALSE(readiness(state, call.arrived).is_ready);
}

TEST(KnownNames, AreUsableModelsAliasesAndTasksInOrder) {
    Fleet fleet;
    fleet.models[{"b"}] = desk_model("b");
    fleet.models[{"b"}].aliases = {"gpt-4o", "a"};
    fleet.models[{"broken"}].unusable = "/x.gguf: not a GGUF file";
    fleet.tasks["write"] = {{"b"}};
    EXPECT_EQ(known_names(fleet), (std::vector<std::string>{"a", "b", "gpt-4o", "task:write"}));
}

}  // namespace
}  // namespace hotdesk
