// SPDX-License-Identifier: MIT
#include "sim/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hotdesk::sim {
namespace {

Figures figures(int64_t late, int64_t p95_s, int64_t max_s) {
    return {.late = late, .waits_ms = {.p95 = p95_s * 1000, .max = max_s * 1000}};
}

TEST(Advice, ATenthLessOfWaitsOrOfLateRunsHelps) {
    Figures before = figures(100, 100, 200);
    EXPECT_EQ(gain_of(before, figures(100, 90, 200)), 100);
    EXPECT_EQ(gain_of(before, figures(100, 91, 200)), 0);
    EXPECT_EQ(gain_of(before, figures(90, 100, 200)), 100);
    EXPECT_EQ(gain_of(before, figures(50, 50, 200)), 1000);
}

TEST(Advice, WhatMakesSomethingWorseDoesNotHelp) {
    Figures before = figures(100, 100, 200);
    EXPECT_EQ(gain_of(before, figures(101, 10, 200)), 0);
    EXPECT_EQ(gain_of(before, figures(10, 101, 200)), 0);
    EXPECT_GT(gain_of(before, figures(10, 100, 220)), 0);
    EXPECT_EQ(gain_of(before, figures(10, 100, 221)), 0);
}

TEST(Advice, LessThanASecondIsNotWorthAChange) {
    EXPECT_EQ(gain_of(figures(0, 2, 5), figures(0, 2, 5)), 0);
    Figures before{.waits_ms = {.p95 = 1500, .max = 5000}};
    Figures after{.waits_ms = {.p95 = 600, .max = 5000}};
    EXPECT_EQ(gain_of(before, after), 0);
}

// Everybody on the full hour, without a stagger.
Options crowded_day() {
    Options day = usual_day(1, 40, {});
    day.length = hours(6);
    day.fleet.policy.stagger = {};
    for (auto& [name, agent] : day.fleet.agents) agent.schedule = *parse_schedule("0 * * * *");
    return day;
}

TEST(Advice, EveryPieceIsVerifiedByTheDayItGives) {
    Options options = crowded_day();
    Summary day = simulate(options).summary;
    std::vector<Advice> all = advise(options, day);
    ASSERT_FALSE(all.empty());
    EXPECT_LE(all.size(), kAdviceMax);
    for (const Advice& advice : all) {
        EXPECT_EQ(advice.before, figures_of(day));
        EXPECT_EQ(advice.gain, gain_of(advice.before, advice.after)) << advice.what;
        EXPECT_GT(advice.gain, 0) << advice.what;
        auto proposals = propose(options, day);
        auto is_it = [&](const Proposal& p) { return p.what == advice.what; };
        auto proposal = std::find_if(proposals.begin(), proposals.end(), is_it);
        ASSERT_NE(proposal, proposals.end());
        Options changed = options;
        changed.fleet = proposal->fleet;
        EXPECT_EQ(figures_of(simulate(changed).summary), advice.after) << advice.what;
    }
}

TEST(Proposals, CoverWhatAUserCanTurn) {
    Options options = crowded_day();
    std::vector<Proposal> all = propose(options, simulate(options).summary);
    auto has = [&](const std::string& part) {
        return std::any_of(all.begin(), all.end(), [&](const Proposal& p) {
            return p.what.find(part) != std::string::npos;
        });
    };
    EXPECT_TRUE(has("[fleet] stagger = \"60s\""));
    EXPECT_TRUE(has(" * * * *\" instead of \"0 * * * *\"")) << "a quieter minute";
    EXPECT_TRUE(has("\"0 */2 * * *\" instead of")) << "half as often";
    EXPECT_TRUE(has("task code: models = [\"writer\"]"));
    EXPECT_TRUE(has("task write: models = [\"tiny\"]"));
    EXPECT_TRUE(has(": slots = 8 instead of 4"));
}

TEST(Proposals, WidenTheContextWhereThatIsShort) {
    Options options = crowded_day();
    for (auto& [name, model] : options.fleet.models) model.context = {4000};
    std::vector<Proposal> all = propose(options, simulate(options).summary);
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Proposal& p) {
        return p.what.find("ctx = 8000 instead of 4000") != std::string::npos;
    }));
}

// The same agent does the same work whatever the others do.
TEST(Advice, AChangeLeavesTheWorkOfOthersAlone) {
    Options options = crowded_day();
    auto calls = [](Options day, const char* agent) {
        return simulate(std::move(day)).summary.agents.at({agent}).calls;
    };
    Options without = options;
    without.fleet.agents.erase({"write-00001"});
    EXPECT_EQ(calls(options, "write-00000"), calls(without, "write-00000"));
}

}  // namespace
}  // namespace hotdesk::sim
