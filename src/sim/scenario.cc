// SPDX-License-Identifier: MIT
#include "sim/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace hotdesk::sim {
namespace {

constexpr Millis kNeverDue = hours(24 * 366);

const Millis& pick(const std::vector<Millis>& some, Random& random) {
    return some[static_cast<size_t>(random.between(0, static_cast<int64_t>(some.size()) - 1))];
}

Millis draw_phase(const AgentGroup& group, int64_t index, Millis period, Random& random) {
    Millis phase = pick(group.at, random) + group.apart * index;
    int64_t minutes_max = std::min(period, hours(1)).value / minutes(1).value - 1;
    bool is_round = random.chance(static_cast<int>(group.round_percent * 10));
    if (!is_round && minutes_max > 0) phase += minutes(random.between(1, minutes_max));
    return {phase.value % period.value};
}

RecordedRun draw_run_of(const AgentGroup& group, Millis tick, Random& random) {
    Millis released = tick + Millis{group.lag.draw(random)};
    RecordedRun run{.released = released,
                    .due = released + group.due.value_or(kNeverDue),
                    .skip_at = {},
                    .calls = {}};
    if (group.skip) run.skip_at = released + *group.skip;
    do {
        // Drawn one after the other: compilers differ in the order in which they evaluate.
        RecordedCall call;
        call.fresh = {(run.calls.empty() ? group.first : group.fresh).draw(random)};
        call.decoded = {group.decoded.draw(random)};
        call.gap = {group.gap.draw(random)};
        run.calls.push_back(call);
    } while (static_cast<int64_t>(run.calls.size()) < group.calls_max &&
             random.chance(static_cast<int>(group.again_permille)));
    return run;
}

void add_agent(const AgentGroup& group, int64_t index, Random random, RecordedDay& day) {
    AgentName name{fmt::format("{}-{:02}", group.name, index)};
    RecordedAgent agent{.model = {group.model}, .period = pick(group.every, random)};
    agent.phase = draw_phase(group, index, agent.period, random);
    agent.own_prefix = {group.own_prefix.draw(random)};
    for (Millis tick = agent.phase; tick < day.length; tick += agent.period)
        day.runs.emplace(std::pair(name, tick), draw_run_of(group, tick, random));
    day.agents.emplace(name, agent);
}

ModelSpec spec_of(const ScenarioModel& model, Tokens shared) {
    ModelSpec spec{.name = {model.name}, .path = "/scenario/" + model.name + ".gguf"};
    spec.need.device = model.device;
    // What is there once for all takes its share of the pool.
    spec.context = std::max(model.context - shared, Tokens{1});
    spec.slots = static_cast<int>(model.slots);
    spec.pinned = true;
    return spec;
}

Options day_of_groups(const Scenario& scenario) {
    Options options = recorded_day(generate_day(scenario));
    options.hardware = scenario.hardware;
    // As in the recorded days, a load's time has the unload before it in it.
    options.hardware.unload_least = options.hardware.unload_most = Millis{1};
    for (const ScenarioModel& model : scenario.models) {
        options.fleet.models[{model.name}] = spec_of(model, scenario.shared_prefix);
        if (model.load > Millis{}) options.hardware.load_times[{model.name}] = model.load;
    }
    return options;
}

}  // namespace

RecordedDay generate_day(const Scenario& scenario) {
    RecordedDay day{.seed = scenario.seed,
                    .length = scenario.length,
                    .shared_prefix = scenario.shared_prefix,
                    .agents = {},
                    .runs = {}};
    Random random(scenario.seed);
    for (const AgentGroup& group : scenario.groups) {
        Random of_group = random.fork();
        for (int64_t i = 0; i < group.count; ++i) add_agent(group, i, of_group.fork(), day);
    }
    return day;
}

Options scenario_day(const Scenario& scenario) {
    if (scenario.fleet_agents == 0) {
        Options options = day_of_groups(scenario);
        options.faults = scenario.faults;
        options.strangers = scenario.strangers;
        return options;
    }
    Options options =
        usual_day(scenario.seed, static_cast<int>(scenario.fleet_agents), scenario.faults);
    options.length = scenario.length;
    options.hardware = scenario.hardware;
    options.strangers = scenario.strangers;
    return options;
}

}  // namespace hotdesk::sim
