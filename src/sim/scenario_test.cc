// SPDX-License-Identifier: MIT
#include "sim/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace hotdesk::sim {
namespace {

Scenario shipped(const std::string& name) {
    const std::string file = std::string(HOTDESK_SOURCE_DIR) + "/scenarios/" + name + ".toml";
    std::ifstream in(file);
    auto scenario = parse_scenario(std::string(std::istreambuf_iterator<char>(in), {}), file);
    EXPECT_TRUE(scenario) << scenario.error().message;
    return scenario ? *scenario : Scenario{};
}

struct Totals {
    int64_t runs = 0, calls = 0, fresh = 0, decoded = 0, gaps = 0, gap_ms = 0, round = 0;
};
Totals totals_of(const RecordedDay& day) {
    Totals totals;
    for (const auto& [key, run] : day.runs) {
        ++totals.runs;
        for (const RecordedCall& call : run.calls) {
            ++totals.calls;
            totals.fresh += call.fresh.value;
            totals.decoded += call.decoded.value;
            if (&call == &run.calls.back()) continue;
            ++totals.gaps;
            totals.gap_ms += call.gap.value;
        }
    }
    for (const auto& [name, agent] : day.agents)
        if (agent.period < hours(24) && agent.phase == Millis{}) ++totals.round;
    return totals;
}

// Against the ten recorded days: 2,267 to 2,287 runs and 5,759 to 6,172 calls a day; means of 443
// new and 139 decoded tokens a call, and of 3.26 s between calls.
TEST(Scenario, TheReferenceDayIsLikeTheRecordedOnes) {
    Scenario scenario = shipped("reference-day");
    Totals all;
    for (scenario.seed = 1; scenario.seed <= 10; ++scenario.seed) {
        RecordedDay day = generate_day(scenario);
        Totals totals = totals_of(day);
        EXPECT_EQ(day.agents.size(), 36u);
        EXPECT_GE(totals.runs, 2250);
        EXPECT_LE(totals.runs, 2310);
        EXPECT_GE(totals.calls, 5650);
        EXPECT_LE(totals.calls, 6300);
        all.calls += totals.calls;
        all.fresh += totals.fresh;
        all.decoded += totals.decoded;
        all.gaps += totals.gaps;
        all.gap_ms += totals.gap_ms;
        all.round += totals.round;
    }
    EXPECT_NEAR(static_cast<double>(all.fresh / all.calls), 443, 22);
    EXPECT_NEAR(static_cast<double>(all.decoded / all.calls), 139, 7);
    EXPECT_NEAR(static_cast<double>(all.gap_ms / all.gaps), 3258, 325);
    EXPECT_NEAR(static_cast<double>(all.round), 0.7 * 10 * 33, 30);
}

TEST(Scenario, ASeedIsADay) {
    Scenario scenario = shipped("three-heavy");
    auto hash = [&](uint64_t seed) {
        scenario.seed = seed;
        scenario.length = hours(2);
        return simulate(scenario_day(scenario)).summary.trace_hash;
    };
    EXPECT_EQ(hash(1), hash(1));
    EXPECT_NE(hash(1), hash(2));
}

// With checkers only where the promises are kept: they take most of the time.
Simulation starvation(bool with_gate) {
    Options options = scenario_day(shipped("starvation"));
    Policy& policy = options.fleet.policy;
    policy.stagger = {};
    if (!with_gate) {
        policy.gate_age = policy.visit_max = hours(24 * 366);
        policy.linger = policy.hold = policy.preload = Millis{};
    }
    options.check = with_gate;
    return simulate(std::move(options));
}

TEST(Scenario, ABusyModelDoesNotStarveALoneAgent) {
    Simulation day = starvation(true);
    ASSERT_TRUE(day.broken.empty()) << day.broken.front().what;
    const AgentDay& lone = day.summary.agents.at({"lone-00"});
    EXPECT_EQ(lone.answered, 24);
    EXPECT_LE(lone.wait_max, seconds(90 + 12));
}

TEST(Scenario, GroupingStarvesTheLoneAgent) {
    EXPECT_LT(starvation(false).summary.agents.at({"lone-00"}).answered, 12);
}

TEST(Scenario, ANeighbourThatTakesTheDeskOftenCostsLoadsAndNoCall) {
    Scenario scenario = shipped("noisy-neighbour");
    ASSERT_TRUE(scenario.strangers);
    scenario.length = hours(4);
    Options options = scenario_day(scenario);
    options.check = true;
    Simulation beside = simulate(std::move(options));
    EXPECT_TRUE(beside.broken.empty());
    scenario.strangers.reset();
    Simulation alone = simulate(scenario_day(scenario));
    EXPECT_GT(beside.summary.loads, alone.summary.loads);
    EXPECT_EQ(beside.summary.calls.at(CallOutcome::kRefused), 0);
}

TEST(Scenario, TenThousandAgentsAreAFleet) {
    Scenario scenario = shipped("ten-thousand");
    scenario.length = hours(1);
    Options options = scenario_day(scenario);
    EXPECT_EQ(options.fleet.agents.size(), 10'000u);
    EXPECT_GT(simulate(std::move(options)).summary.firings, 10'000);
}

TEST(Scenario, NamesEveryMistakeWithItsPlaceAndWhatIsPossible) {
    auto scenario = parse_scenario(R"(length = "1 day"
faults = "worker_crash,earthquake"
speed = 3
[[model]]
name = "m"
slots = 0
[[agents]]
name = "a"
model = "n"
gap = ["2s", "1s"]
fresh = [1, 2, 3]
due = 60
)",
                                   "x.toml");
    ASSERT_FALSE(scenario);
    EXPECT_EQ(scenario.error().code, Code::kInvalid);
    const std::string& text = scenario.error().message;
    auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has("x.toml:1:10: scenario.length: ")) << text;
    EXPECT_TRUE(has("x.toml:2:10: scenario.faults: no fault is called \"earthquake\"; there are"));
    EXPECT_TRUE(has("x.toml:3:9: scenario: unknown key \"speed\"; there are: title, seed"));
    EXPECT_TRUE(has("x.toml:6:9: model.slots: from 1 to 64 is possible"));
    EXPECT_TRUE(has("x.toml:7:1: agents: model \"n\" is none of: m"));
    EXPECT_TRUE(has("x.toml:10:7: agents.gap: the values must not fall"));
    EXPECT_TRUE(
        has("x.toml:11:9: agents.fresh: one value, two ends or 11 quantiles are needed, "
            "these are 3"));
    EXPECT_TRUE(has("x.toml:12:7: agents.due: a text in quotes is needed"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7) << text;
}

TEST(Scenario, NeedsAgentsOrAFleet) {
    EXPECT_FALSE(parse_scenario("seed = 1", "x.toml"));
    EXPECT_TRUE(parse_scenario("[fleet]\nagents = 2", "x.toml"));
}

TEST(Spread, DrawsBetweenItsQuantiles) {
    Spread spread{{0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100}};
    Random random(1);
    int64_t sum = 0, below_25 = 0;
    for (int i = 0; i < 10'000; ++i) {
        int64_t value = spread.draw(random);
        ASSERT_GE(value, 0);
        ASSERT_LE(value, 100);
        sum += value;
        below_25 += value < 25 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(sum) / 10'000, 50, 2);
    EXPECT_NEAR(static_cast<double>(below_25), 2500, 150);
    EXPECT_EQ(Spread{{7}}.draw(random), 7);
}

}  // namespace
}  // namespace hotdesk::sim
