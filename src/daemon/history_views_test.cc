// SPDX-License-Identifier: MIT
#include "daemon/history_views.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/subject.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

TEST(HistoryViews, LiveRunsAreLaidOverTheirRecordsOnly) {
    Json runs =
        Json::parse(R"([{"id":"r-2","ran_ms":0},{"id":null,"count":3},{"id":"r-1","ran_ms":7}])");
    const Json live = Json::parse(
        R"([{"id":"r-2","phase":"running","ran_ms":50,"waited_ms":20,"waits_for":"a slot of big"}])");
    views::put_live_runs(live, runs);
    EXPECT_EQ(runs, Json::parse(R"([
        {"id":"r-2","phase":"running","ran_ms":50,"waited_ms":20,"waits_for":"a slot of big"},
        {"id":null,"count":3},{"id":"r-1","ran_ms":7}])"));
}

TEST(HistoryViews, NowSaysWhatASubjectDoesAndWhetherItIsKnown) {
    State state;
    Snapshot seen;
    state.fleet.agents[{"inbox"}].name = {"inbox"};
    state.agents[{"inbox"}] = {};
    hotdesk::Run run;
    run.id = {12};
    run.agent = {"inbox"};
    run.phase = RunPhase::kRunning;
    state.runs[{12}] = run;
    Call call;
    call.id = {7};
    call.run = {12};
    state.calls[{7}] = call;
    const auto now = [&](const char* name) { return views::now_of({state, seen}, name); };
    EXPECT_EQ(now("c-7"), "waits for a model to be chosen");
    EXPECT_EQ(now("r-12"), "running; c-7 waits for a model to be chosen");
    EXPECT_EQ(now("inbox"), "r-12 running; c-7 waits for a model to be chosen");
    EXPECT_EQ(now("r-13"), std::nullopt);
    EXPECT_EQ(now("nobody"), std::nullopt);
    state.runs.clear();
    EXPECT_EQ(now("inbox"), "not running");
}

TEST(Subject, ReadsIdsAndNothingElse) {
    EXPECT_EQ(parse_run_id("r-12"), RunId{12});
    EXPECT_EQ(parse_call_id("c-7"), CallId{7});
    for (const char* text :
         {"", "r-", "r-0", "r-1x", "c-1", "r--1", "r1", "r-99999999999999999999"})
        EXPECT_FALSE(parse_run_id(text)) << text;
}

}  // namespace
}  // namespace hotdesk
