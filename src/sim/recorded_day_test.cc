// SPDX-License-Identifier: MIT
#include "sim/recorded_day.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace hotdesk::sim {
namespace {

// Two agents on models that exclude each other, two ticks each, and one that needs no desk.
const std::string kDay =
    R"({"seed":3,"horizon_ms":1200000,"shared_prefix_tokens":1000,"agents":[)"
    R"({"id":0,"model":"heavy-1","period_ms":600000,"phase_ms":0,"own_prefix_tokens":200},)"
    R"({"id":1,"model":"heavy-2","period_ms":600000,"phase_ms":60000,"own_prefix_tokens":300},)"
    R"({"id":2,"model":"tiny","period_ms":600000,"phase_ms":0,"own_prefix_tokens":300}]})"
    "\n"
    R"({"run":0,"agent":0,"model":"heavy-1","tick_ms":0,"release_ms":40,"due_ms":60040,)"
    R"("skip_at_ms":480040,"calls":[[12,100,2000],[24,50,0]]})"
    "\n"
    R"({"run":1,"agent":2,"model":"tiny","tick_ms":0,"release_ms":40,"due_ms":60040,)"
    R"("skip_at_ms":480040,"calls":[[12,100,0]]})"
    "\n"
    R"({"run":2,"agent":1,"model":"heavy-2","tick_ms":60000,"release_ms":61000,"due_ms":61001,)"
    R"("skip_at_ms":null,"calls":[[12,100,0]]})"
    "\n"
    R"({"run":3,"agent":0,"model":"heavy-1","tick_ms":600000,"release_ms":600000,"due_ms":900000,)"
    R"("skip_at_ms":600001,"calls":[[12,100,0]]})"
    "\n";

// With no patience, so that each time is that of the engine.
Summary simulate_day(const std::string& text) {
    Options options = recorded_day(*read_day(text));
    options.fleet.policy.stagger = {};
    options.fleet.policy.hold = options.fleet.policy.preload = Millis{};
    options.check = true;
    Simulation simulation = simulate(std::move(options));
    EXPECT_TRUE(simulation.broken.empty())
        << simulation.broken.front().checker << ": " << simulation.broken.front().what;
    return simulation.summary;
}

TEST(RecordedDay, IsPlayedCallByCall) {
    Summary day = simulate_day(kDay);
    EXPECT_EQ(day.calls.at(CallOutcome::kDone), 3);
    EXPECT_EQ(day.skipped_timeout, 1) << "run 3 had 1 ms to get a model that was not there";
    EXPECT_EQ(day.late, 1) << "run 2 had 1 ms";
    // Everything is read once: both shared prefixes, both own ones, and what is new.
    EXPECT_EQ(day.prefilled, Tokens{1000 + 200 + 12 + 24 + 1000 + 300 + 12});
}

// Calls that are alone: the load, the prompt in chunks, and the tokens at 26 ms each. A context
// that is kept is restored in the time of reading one token in 328.
TEST(RecordedDay, TakesTheTimeThatTheEngineModelSays) {
    Summary day = simulate_day(kDay);
    auto call = [](int64_t fresh, int64_t kept, int64_t decoded) {
        return (fresh + kept / 328) * 1000 / 1200 + decoded * 26;
    };
    int64_t run_0 = 8000 + call(1000 + 200 + 12, 0, 100) + 2000 + call(24, 1312, 50);
    int64_t run_2 = 12'000 + call(1000 + 300 + 12, 0, 100);
    EXPECT_NEAR(static_cast<double>(day.run_times_ms.p50), static_cast<double>(run_0), 20);
    EXPECT_NEAR(static_cast<double>(day.run_times_ms.max), static_cast<double>(run_2), 20);
}

TEST(RecordedDay, SaysWhichLineIsWrongAndWhy) {
    auto error = [](const std::string& text) { return read_day(text).error().message; };
    const std::string header = kDay.substr(0, kDay.find('\n') + 1);
    EXPECT_EQ(error(""), "line 1: the file is empty");
    EXPECT_EQ(error("{]"), "line 1: not a JSON object");
    EXPECT_EQ(error("{\"seed\":1}"), "line 1: \"horizon_ms\" is not a number");
    EXPECT_EQ(error(header + "{\"model\":\"heavy-1\",\"agent\":9}"),
              "line 2: agent-00009 is not in the first line");
    EXPECT_EQ(error(header + "{\"model\":\"heavy-1\",\"agent\":0,\"tick_ms\":5,\"release_ms\":4,"
                             "\"due_ms\":9,\"calls\":[[1,1,1]]}"),
              "line 2: released before its tick");
    EXPECT_EQ(error(header + "{\"model\":\"heavy-1\",\"agent\":0,\"tick_ms\":5,\"release_ms\":6,"
                             "\"due_ms\":9,\"calls\":[[1,-1,1]]}"),
              "line 2: \"decode_tokens\" is not a number from 0 to 10000000");
}

}  // namespace
}  // namespace hotdesk::sim
