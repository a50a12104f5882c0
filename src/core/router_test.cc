// SPDX-License-Identifier: MIT
#include "core/router.h"

#include <gtest/gtest.h>

#include "core/small_world.h"

namespace hotdesk {
namespace {

Fleet fleet() {
    ModelSpec broken = small_model("broken", gib(1));
    broken.unusable = "/m.gguf: not a GGUF file";
    ModelSpec small = small_model("small", gib(2));
    small.aliases = {"gpt-4o-mini"};
    Fleet fleet = small_fleet({small_model("big", gib(9)), small, broken});
    fleet.tasks = {{"write", {{"big"}, {"broken"}, {"small"}}}, {"hard", {{"big"}}}};
    return fleet;
}

std::variant<Route, NoRoute> routed(std::string_view wanted, Bytes budget = gib(6)) {
    return route(fleet(), wanted, {budget, gib(16)});
}
using Answer = std::variant<Route, NoRoute>;

TEST(Router, TakesTheFirstModelOfATaskThatCanBeUsed) {
    Why why{.reason = Reason::kTaskRoute, .who = "task write"};
    EXPECT_EQ(routed("task:write"), Answer(Route{{"small"}, why}));
    EXPECT_EQ(routed("write"), Answer(Route{{"small"}, why}));
    EXPECT_EQ(routed("task:write", gib(9)), Answer(Route{{"big"}, why}));
}

TEST(Router, FindsAModelByNameAndByAlias) {
    EXPECT_EQ(routed("small"),
              Answer(Route{{"small"}, {.reason = Reason::kNamed, .who = "small"}}));
    EXPECT_EQ(routed("gpt-4o-mini"),
              Answer(Route{{"small"}, {.reason = Reason::kNamed, .who = "gpt-4o-mini"}}));
}

TEST(Router, RefusesWithTheNumbersWhatCanNeverFit) {
    NoRoute expected{Code::kNoSpace, {Reason::kCannotFit, gib(9).value, gib(6).value, "big"}};
    EXPECT_EQ(routed("big"), Answer(expected));
    EXPECT_EQ(routed("task:hard"), Answer(expected));
    EXPECT_TRUE(std::holds_alternative<Route>(routed("big", gib(9))));
    EXPECT_TRUE(std::holds_alternative<NoRoute>(routed("big", gib(9) - Bytes{1})));
}

TEST(Router, RefusesAModelOfTheCpuThatRamCanNeverHold) {
    ModelSpec tiny = small_model("tiny", Bytes{});
    tiny.placement = Placement::kHost;
    tiny.need = {Bytes{}, gib(3)};
    Fleet on_cpu = small_fleet({tiny});
    NoRoute expected{Code::kNoSpace, {Reason::kCannotFit, gib(3).value, gib(2).value, "tiny"}};
    EXPECT_EQ(route(on_cpu, "tiny", {Bytes{}, gib(2)}), Answer(expected));
    EXPECT_TRUE(std::holds_alternative<Route>(route(on_cpu, "tiny", {Bytes{}, gib(3)})));
}

TEST(Router, SaysWhatIsWrongWithAModelOrAName) {
    EXPECT_EQ(
        routed("broken"),
        Answer(NoRoute{Code::kUnavailable,
                       {.reason = Reason::kModelUnusable, .who = "/m.gguf: not a GGUF file"}}));
    EXPECT_EQ(routed("nothing"),
              Answer(NoRoute{Code::kNotFound, {.reason = Reason::kNoSuchModel, .who = "nothing"}}));
}

TEST(DeskBudget, IsTheSmallerOfTheConfigsAndTheDevices) {
    Policy policy{.device_budget = gib(4), .device_reserve = gib(1)};
    EXPECT_EQ(desk_budget(policy, {.device_total = gib(6)}), gib(4));
    EXPECT_EQ(desk_budget(policy, {.device_total = gib(3)}), gib(2));
    EXPECT_EQ(desk_budget(policy, {}), gib(4));
    policy.device_budget = {};
    EXPECT_EQ(desk_budget(policy, {.device_total = gib(6)}), gib(5));
    EXPECT_EQ(desk_budget(policy, {.device_total = Bytes{}}), Bytes{});
}

TEST(DeskBudget, IsKnownWhenMeasuredEvenAsZero) {
    EXPECT_FALSE(is_budget_known({}, {}));
    EXPECT_TRUE(is_budget_known({}, {.device_total = Bytes{}}));
    EXPECT_TRUE(is_budget_known({.device_budget = gib(1)}, {}));
}

}  // namespace
}  // namespace hotdesk
