// SPDX-License-Identifier: MIT
#include "core/line.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

TEST(Line, HasWaitingCallsInTheOrderOfArrivalAndCountsTheRunning) {
    State state;
    auto add = [&](uint64_t id, const char* model, CallPhase phase) {
        state.calls[{id}] = Call{.id = {id}, .model = {model}, .phase = phase};
    };
    add(3, "a", CallPhase::kWaiting);
    add(1, "a", CallPhase::kWaiting);
    add(2, "a", CallPhase::kRunning);
    add(4, "", CallPhase::kArrived);
    auto lines = lines_of(state);
    ASSERT_EQ(lines.size(), 1u);
    const Line& line = lines.at({"a"});
    EXPECT_EQ(line.running, 1);
    EXPECT_EQ(line.waiting, (std::vector<const Call*>{&state.calls[{1}], &state.calls[{3}]}));
}

TEST(Line, AddsUpWhatWorkersHold) {
    State state;
    state.workers[{"a"}].held = {gib(2), gib(1)};
    state.workers[{"b"}].held = {gib(3), {}};
    EXPECT_EQ(held_by_workers(state), (Footprint{gib(5), gib(1)}));
    EXPECT_FALSE(is_present(state, {"a"}));
    state.workers[{"a"}].phase = WorkerPhase::kLoading;
    EXPECT_TRUE(is_present(state, {"a"}));
    EXPECT_FALSE(is_present(state, {"nobody"}));
}

}  // namespace
}  // namespace hotdesk
