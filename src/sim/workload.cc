// SPDX-License-Identifier: MIT
#include "sim/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "core/cron.h"

namespace hotdesk::sim {
namespace {

ModelSpec model(const char* name, Placement placement, Bytes need) {
    ModelSpec spec{.name = {name}, .path = fmt::format("/simulated/{}.gguf", name)};
    spec.placement = placement;
    spec.context = {16'384};
    (placement == Placement::kDesk ? spec.need.device : spec.need.host) = need;
    spec.keep = minutes(10);
    return spec;
}

// Schedules by how often they fire. On round minutes for 7 of 10 agents.
std::string draw_schedule(Random& random) {
    bool round = random.chance(700);
    auto minute = [&](int64_t period) { return round ? 0 : random.between(1, period - 1); };
    int64_t kind = random.between(0, 99);
    if (kind < 15) return fmt::format("{}-59/5 * * * *", minute(5));
    if (kind < 35) return fmt::format("{}-59/15 * * * *", minute(15));
    if (kind < 55) return fmt::format("{}-59/30 * * * *", minute(30));
    if (kind < 80) return fmt::format("{} * * * *", minute(60));
    // Drawn one after the other: compilers differ in the order in which they evaluate arguments.
    int64_t at = minute(60);
    if (kind < 90) return fmt::format("{} */{} * * *", at, random.between(2, 6));
    return fmt::format("{} {} * * *", at, random.between(0, 23));
}

// `place`: among fifty.
AgentSpec draw_agent(int number, int place, Random& random) {
    const char* task = place < 22 ? "write" : place < 36 ? "code" : "classify";
    AgentSpec agent{.name = {fmt::format("{}-{:05}", task, number)}};
    auto schedule = parse_schedule(draw_schedule(random));
    HD_CHECK(schedule);
    agent.schedule = *schedule;
    agent.command = {"simulated"};
    agent.task = task;
    return agent;
}

Tokens draw_tokens(Random& random, int64_t low, int64_t high) {
    return {random.between(low, high)};
}

}  // namespace

Fleet generate_fleet(int agents, Random random) {
    Fleet fleet;
    for (ModelSpec spec :
         {model("writer", Placement::kDesk, mib(4400)), model("coder", Placement::kDesk, mib(4800)),
          model("tiny", Placement::kHost, mib(600))})
        fleet.models.emplace(spec.name, spec);
    fleet.tasks = {
        {"write", {{"writer"}}}, {"code", {{"coder"}}}, {"classify", {{"tiny"}, {"writer"}}}};
    for (int i = 0; i < agents; ++i) {
        AgentSpec agent = draw_agent(i, agents < 50 ? i * 50 / agents : i % 50, random);
        fleet.agents.emplace(agent.name, agent);
    }
    return fleet;
}

namespace {

void make_odd(Policy& policy, Random& random) {
    policy.runs_max = static_cast<int>(random.between(1, 20));
    policy.waiting_max = static_cast<int>(random.between(1, 20));
    policy.stagger = random.between(Millis{}, seconds(60));
    policy.late_after = random.between(Millis{1}, seconds(60));
    policy.gate_age = random.between(Millis{}, seconds(60));
    if (random.chance(300)) policy.gate_age.reset();
    policy.linger = random.between(Millis{}, seconds(20));
    policy.hold = random.between(Millis{}, seconds(10));
    policy.visit_max = random.between(seconds(1), minutes(4));
    if (random.chance(500)) policy.preload = random.between(Millis{}, seconds(30));
    if (random.chance(150)) policy.queue = QueuePolicy::kFifo;
    policy.call_max = random.between(seconds(2), seconds(30));
    policy.kill_grace = random.between(Millis{100}, seconds(5));
    if (random.chance(500)) policy.device_budget = mib(random.between(1000, 5800));
}

void make_odd(ModelSpec& model, Random& random) {
    bool on_desk = model.placement == Placement::kDesk;
    (on_desk ? model.need.device : model.need.host) = mib(random.between(200, 7000));
    model.slots = static_cast<int>(random.between(1, 4));
    model.keep = random.between(Millis{1}, minutes(2));
    model.pinned = random.chance(200);
}

void make_odd(AgentSpec& agent, Random& random) {
    if (random.chance(400))
        agent.schedule = *parse_schedule(random.chance(500) ? "* * * * *" : "every 45s");
    agent.overlap = static_cast<Overlap>(random.between(0, 2));
    agent.catch_up = static_cast<CatchUp>(random.between(0, 1));
    agent.grace = random.between(Millis{}, minutes(30));
    agent.wait = random.between(Millis{}, minutes(8));
    agent.timeout = random.chance(100) ? Millis{} : random.between(seconds(1), minutes(5));
    agent.paused = random.chance(50);
    if (random.chance(200)) agent.priority = Priority::kInteractive;
}

}  // namespace

void make_odd(Fleet& fleet, Random random) {
    make_odd(fleet.policy, random);
    for (auto& [name, model] : fleet.models) make_odd(model, random);
    for (auto& [name, agent] : fleet.agents) make_odd(agent, random);
}

std::vector<std::string> assume_sizes(Fleet& fleet) {
    std::vector<std::string> assumed;
    for (auto& [name, spec] : fleet.models) {
        spec.unusable.clear();  // the file may be on another machine; the schedule is what counts
        if (spec.need != Footprint{}) continue;
        bool on_desk = spec.placement == Placement::kDesk;
        (on_desk ? spec.need.device : spec.need.host) = on_desk ? mib(4400) : mib(600);
        assumed.push_back(fmt::format("model {} takes {} of the {}", name.value,
                                      format_bytes(on_desk ? mib(4400) : mib(600)),
                                      on_desk ? "device" : "RAM"));
    }
    return assumed;
}

namespace {

constexpr size_t kCallsMax = 20;

int64_t around(Random& random, int64_t mean) {
    return random.between(mean - mean / 2, mean + mean / 2);
}

}  // namespace

RunShape draw_run(Random& random) {
    RunShape run{.start_up = random.between(Millis{20}, Millis{400}), .calls = {}};
    Tokens context = draw_tokens(random, 300, 1500);
    do {
        CallShape call{.fresh = draw_tokens(random, 50, 600)};
        if (run.calls.empty()) call.fresh += context;
        context += call.fresh;
        call.prompt = context;
        call.completion = draw_tokens(random, 40, 300);
        context += call.completion;
        bool slow_tool = random.chance(30);
        call.think = slow_tool ? random.between(seconds(4), seconds(60))
                               : random.between(Millis{500}, seconds(4));
        call.named = random.chance(50);
        run.calls.push_back(call);
    } while (run.calls.size() < kCallsMax && random.chance(615));
    run.last_words = random.between(Millis{10}, Millis{500});
    run.exit_code = random.chance(10) ? 1 : 0;
    return run;
}

RunShape draw_run(Random& random, const Habit& habit) {
    RunShape run{.start_up = random.between(Millis{20}, Millis{400}), .calls = {}};
    Tokens context;
    // After each call there is another one with this chance, so that there are as many on average.
    auto again = static_cast<int>(1000 - 1'000'000 / std::max<int64_t>(habit.calls_permille, 1000));
    do {
        bool is_first = run.calls.empty();
        Tokens added{around(random, (is_first ? habit.first_prompt : habit.growth).value)};
        Tokens fresh{around(random, (is_first ? habit.first_fresh : habit.later_fresh).value)};
        CallShape call{.prompt = context + added, .fresh = std::min(fresh, context + added)};
        call.completion = {around(random, habit.completion.value)};
        call.think = is_first ? Millis{} : Millis{around(random, habit.gap.value)};
        context = call.prompt + call.completion;
        run.calls.push_back(call);
    } while (run.calls.size() < kCallsMax && random.chance(again));
    return run;
}

Millis load_time(const ModelSpec& model, const Hardware& hardware) {
    constexpr int64_t kMibPerSecond = 600;
    if (auto it = hardware.load_times.find(model.name); it != hardware.load_times.end())
        return it->second;
    int64_t mebibytes = (model.need.device + model.need.host).value >> 20;
    return seconds(1) + Millis{mebibytes * 1000 / kMibPerSecond};
}

}  // namespace hotdesk::sim
