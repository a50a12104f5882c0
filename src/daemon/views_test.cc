// SPDX-License-Identifier: MIT
#include "daemon/views.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/iso_time.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

constexpr Instant kNow{1'000'000};
constexpr Wall kNoon{1'796'126'400'000};  // 2026-12-01T12:00:00Z

ModelSpec model(const char* name, Bytes device) {
    ModelSpec spec;
    spec.name = {name};
    spec.path = std::string("/models/") + name + ".gguf";
    spec.need = {device, mib(10)};
    spec.keep = minutes(10);
    spec.slots = 1;
    return spec;
}

Call call(uint64_t id, const char* agent, const char* model_name) {
    Call c;
    c.id = {id};
    c.agent = {agent};
    c.model = {model_name};
    c.phase = CallPhase::kWaiting;
    c.arrived = kNow - seconds(30);
    c.deadline = kNow + seconds(60);
    return c;
}

// Two models that exclude each other; the first is loaded and serves "inbox".
struct World {
    World() {
        state.fleet.models = {{{"big"}, model("big", gib(5))}, {{"other"}, model("other", gib(4))}};
        state.fleet.policy.device_budget = gib(6);
        AgentSpec inbox;
        inbox.name = {"inbox"};
        inbox.schedule.text = "@hourly";
        state.fleet.agents = {{{"inbox"}, inbox}};
        Worker big;
        big.phase = WorkerPhase::kReady;
        big.since = kNow - minutes(5);
        big.idle_since = kNow - minutes(4);
        big.spec = state.fleet.models.at({"big"});
        big.held = {gib(5), mib(10)};
        big.loads = 3;
        state.workers = {{{"big"}, big}, {{"other"}, {}}};
        state.desk = {.lease = LeasePhase::kHeld,
                      .since = kNow - minutes(9),
                      .stranger_since = {},
                      .gate = {},
                      .freed_at = {}};
        seen = {.now = kNow,
                .wall = kNoon,
                .device_total = gib(8),
                .device_free = gib(2),
                .host_total = {},
                .host_available = {}};
        Call first = call(1, "inbox", "big");
        first.phase = CallPhase::kRunning;
        first.run = {12};
        first.waited = seconds(10);
        first.started = kNow - seconds(20);
        state.calls[{1}] = first;
    }
    Call& add(Call c) { return state.calls[c.id] = std::move(c); }
    views::Moment moment() const { return {state, seen}; }
    views::Waiting waiting(uint64_t id) const {
        return views::waiting_for(state, state.calls.at({id}), kNow);
    }

    State state;
    Snapshot seen;
};

std::pair<std::string, std::string> both(const views::Waiting& waiting) {
    return {std::string(waiting.key), waiting.text};
}
using Pair = std::pair<std::string, std::string>;

TEST(Views, ACallThatWaitsNamesWhoIsAhead) {
    World world;
    world.add(call(2, "report", "big"));
    world.add(call(3, "report", "other"));
    EXPECT_EQ(both(world.waiting(1)), Pair());
    EXPECT_EQ(both(world.waiting(2)), Pair("slots", "a slot of big; inbox has it"));
    EXPECT_EQ(both(world.waiting(3)), Pair("room", "room for other: big has 5.0 GiB (inbox)"));
    world.state.desk.gate = {1};
    EXPECT_EQ(both(world.waiting(2)), Pair("gate", "another model's turn: calls after c-1 wait"));
    world.state.desk.gate = {2};
    EXPECT_EQ(both(world.waiting(2)), Pair("slots", "a slot of big; inbox has it"));
}

TEST(Views, ACallThatWaitsForALoadSaysHowFarItIs) {
    World world;
    world.add(call(2, "report", "other"));
    Worker& other = world.state.workers.at({"other"});
    other.phase = WorkerPhase::kLoading;
    other.permille = 419;
    EXPECT_EQ(both(world.waiting(2)), Pair("loading", "other to load, 41 % done"));
    other.phase = WorkerPhase::kAbsent;
    other.failures = 1;
    other.retry_at = kNow + seconds(5);
    EXPECT_EQ(both(world.waiting(2)), Pair("backoff", "the next try to load other in 5.0 s"));
    other.retry_at = kNow;
    EXPECT_EQ(world.waiting(2).key, "room");
    world.state.desk.lease = LeasePhase::kQueued;
    EXPECT_EQ(both(world.waiting(2)),
              Pair("lease", "the lease on gpu0: another program has the desk"));
}

TEST(Views, TheQueueHasAPlaceForWhoWaitsAndNoneForWhoRuns) {
    World world;
    world.add(call(2, "report", "big")).run = {13};
    const Json calls = views::queue(world.moment())["calls"];
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0],
              Json::parse(
                  R"({"place":null,"of":null,"call":"c-1","run":"r-12","agent":"inbox","wanted":"",
        "model":"big","state":"running","waited_ms":10000,"about_ms":null,"latest_ms":null,"wait_left_ms":null,"ran_ms":20000,"attempts":0,
        "why":null,"waits_for":null})"));
    EXPECT_EQ(
        calls[1],
        Json::parse(R"({"place":1,"of":1,"call":"c-2","run":"r-13","agent":"report","wanted":"",
        "model":"big","state":"waiting","waited_ms":30000,"about_ms":null,"latest_ms":null,"wait_left_ms":60000,"ran_ms":0,"attempts":0,
        "why":"slots","waits_for":"a slot of big; inbox has it"})"));
}

TEST(Views, ADeskAddsUp) {
    const Json desk = views::desks(World().moment())["desks"][0];
    EXPECT_EQ(desk["budget_bytes"], gib(6).value);
    EXPECT_EQ(desk["held_bytes"], gib(5).value);
    EXPECT_EQ(desk["free_bytes"], gib(1).value);
    EXPECT_EQ(desk["models"], Json::parse(R"(["big"])"));
    EXPECT_EQ(desk["lease"], "held");
    EXPECT_EQ(desk["since"], "2026-12-01T11:51:00.000Z");
    EXPECT_EQ(desk["gate"], nullptr);
}

TEST(Views, AModelIsIdleOnlyWithoutARunningCall) {
    World world;
    EXPECT_EQ(views::models(world.moment())["models"][0]["idle_ms"], nullptr);
    world.state.calls.clear();
    const Json models = views::models(world.moment())["models"];
    EXPECT_EQ(models[0]["idle_ms"], minutes(4).value);
    EXPECT_EQ(models[0]["phase"], "ready");
    EXPECT_EQ(models[0]["loads"], 3);
    EXPECT_EQ(models[1]["phase"], "absent");
    EXPECT_EQ(models[1]["device_bytes_held"], 0);
    EXPECT_EQ(models[1]["since"], nullptr);
}

TEST(Views, ARunThatWaitsSaysForWhomAndDoesNotCountTheWaitAsWork) {
    World world;
    hotdesk::Run run;
    run.id = {13};
    run.agent = {"report"};
    run.due = kNoon;
    run.phase = RunPhase::kRunning;
    run.started = kNow - seconds(50);
    run.waited = seconds(5);
    run.calls_waiting = 1;
    run.waiting_since = kNow - seconds(30);
    world.state.runs[{13}] = run;
    world.add(call(2, "report", "big")).run = {13};
    const Json runs = views::live_runs(world.moment())["runs"];
    EXPECT_EQ(runs[0]["id"], "r-13");
    EXPECT_EQ(runs[0]["waited_ms"], 35'000);
    EXPECT_EQ(runs[0]["ran_ms"], 15'000);
    EXPECT_EQ(runs[0]["started"], "2026-12-01T11:59:10.000Z");
    EXPECT_EQ(runs[0]["waits_for"], "a slot of big; inbox has it");
}

TEST(Views, AnAgentShowsItsNextFiringAndItsLastRun) {
    World world;
    world.state.agents[{"inbox"}] = {
        .last_due = kNoon, .next_due = kNoon + hours(1), .held = {}, .asked = {}, .paused = false};
    RunRecord last;
    last.id = {7};
    last.outcome = Outcome::kTimedOut;
    last.ended = kNoon;
    const Json agents = views::agents(world.moment(), {{{"inbox"}, last}})["agents"];
    EXPECT_EQ(agents[0]["next_due"], "2026-12-01T13:00:00.000Z");
    EXPECT_EQ(agents[0]["last_run"]["outcome"], "timed-out");
    EXPECT_EQ(agents[0]["paused"], false);
    EXPECT_EQ(views::agents(world.moment(), {})["agents"][0]["last_run"], nullptr);
    world.state.paused = true;
    EXPECT_EQ(views::agents(world.moment(), {})["agents"][0]["paused"], true);
}

TEST(Views, StatusCountsAndNamesTheOldestWait) {
    World world;
    world.add(call(2, "report", "big"));
    const Json status = views::status(world.moment());
    EXPECT_EQ(status["schema"], 1);
    EXPECT_EQ(status["calls_running"], 1);
    EXPECT_EQ(status["calls_waiting"], 1);
    EXPECT_EQ(status["oldest_wait_ms"], 30'000);
    EXPECT_EQ(status["now"], "2026-12-01T12:00:00.000Z");
}

TEST(Views, SkippedFiringsHaveNoRunIdAndAReason) {
    RunRecord skip;
    skip.agent = {"inbox"};
    skip.count = 4;
    skip.outcome = Outcome::kMissed;
    skip.why = {Reason::kCatchUpOff, 0, 0, ""};
    const Json out = views::run_record(skip);
    EXPECT_EQ(out["id"], nullptr);
    EXPECT_EQ(out["count"], 4);
    EXPECT_EQ(out["why"]["reason"], "catch_up_off");
    EXPECT_EQ(out["why"]["text"], explain(skip.why));
}

TEST(Views, ARunThatIsOnNoRecordYetIsKnownFromTheAskingOn) {
    World world;
    world.state.agents[{"inbox"}].asked = {{{20}, kNoon}, {{21}, kNoon}};
    const auto asked = views::unrecorded_run(world.state, {21});
    ASSERT_TRUE(asked);
    EXPECT_EQ((*asked)["id"], "r-21");
    EXPECT_EQ((*asked)["agent"], "inbox");
    EXPECT_EQ((*asked)["phase"], "asked");
    EXPECT_EQ((*asked)["due"], "2026-12-01T12:00:00.000Z");
    EXPECT_EQ((*asked)["started"], nullptr);
    EXPECT_EQ((*asked)["outcome"], nullptr);
    EXPECT_EQ((*asked)["why"]["reason"], "asked_for");
    hotdesk::Run run{.id = {21}, .agent = {"inbox"}, .due = kNoon, .trigger = Trigger::kSchedule};
    world.state.agents.clear();
    world.state.runs[{21}] = run;
    EXPECT_EQ((*views::unrecorded_run(world.state, {21}))["phase"], "starting");
    EXPECT_EQ((*views::unrecorded_run(world.state, {21}))["why"]["reason"], "due");
    EXPECT_EQ(views::unrecorded_run(world.state, {22}), std::nullopt);
}

TEST(IsoTime, WritesMillisecondsAndReadsThemBack) {
    EXPECT_EQ(iso_time(kNoon + Millis{7}), "2026-12-01T12:00:00.007Z");
    EXPECT_EQ(iso_time(Wall{-1}), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(parse_iso_time("2026-12-01T12:00:00.007Z"), (kNoon + Millis{7}));
    EXPECT_EQ(parse_iso_time("2026-12-01T12:00:00Z"), kNoon);
    for (const char* wrong :
         {"", "2026-13-01T12:00:00Z", "2026-12-01T12:00:00", "2026-12-01T12:00:00Zx", "noon"})
        EXPECT_FALSE(parse_iso_time(wrong)) << wrong;
}

}  // namespace
}  // namespace hotdesk
