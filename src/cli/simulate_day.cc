// SPDX-License-Identifier: MIT
#include "cli/simulate_day.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/find_scenario.h"
#include "cli/load_fleet.h"
#include "cli/measured_work.h"
#include "cli/simulate_policy.h"
#include "cli/trace_file.h"

namespace hotdesk {
namespace {

constexpr const char* kUsualSpeed =
    "prefill 1200 tokens/s, a decode step of 20 + 6 b ms, loads at 600 MiB/s";

Result<PlannedDay> recorded(const SimulateOptions& typed, const sim::Faults& faults) {
    HD_TRY(std::string text, read_trace_file(typed.trace));
    auto day = sim::read_day(text);
    if (!day) return fail(day.error().code, typed.trace + ": " + day.error().message);
    PlannedDay planned{.options = sim::recorded_day(*day)};
    planned.options.faults = faults;
    if (typed.seed) planned.options.seed = *typed.seed;
    planned.assumed.push_back("the engine model of the recorded days");
    return planned;
}

Result<PlannedDay> from_scenario(const SimulateOptions& typed, const sim::Faults& faults) {
    HD_TRY(sim::Scenario scenario, load_scenario(typed.scenario));
    if (typed.seed) scenario.seed = *typed.seed;
    if (auto length = typed.length()) scenario.length = *length;
    scenario.faults.add(faults);
    PlannedDay planned{.options = sim::scenario_day(scenario)};
    planned.assumed.push_back(fmt::format("the work and the machine of {}", typed.scenario));
    planned.is_fleet = scenario.fleet_agents > 0;
    return planned;
}

// The speeds of models that were not measured are the usual ones.
void use_history(const Config& config, PlannedDay& planned) {
    sim::Options& options = planned.options;
    auto work = read_work(config.server.state_dir, options.fleet);
    if (!work) {
        planned.assumed.push_back("every run's calls: " + work.error().message);
        return;
    }
    planned.measured = work->measured;
    planned.assumed = work->assumed;
    options.habits = std::move(work->habits);
    options.hardware.load_times = std::move(work->load_times);
    options.hardware.speeds = std::move(work->speeds);
    for (auto& [name, spec] : options.fleet.models)
        if (auto need = work->needs.find(name); need != work->needs.end()) spec.need = need->second;
}

Result<PlannedDay> of_fleet(const SimulateOptions& typed, const sim::Faults& faults) {
    PlannedDay planned{.options = sim::usual_day(typed.seed.value_or(1), typed.agents, faults)};
    planned.is_fleet = true;
    planned.options.length = typed.length().value_or(hours(24));
    if (!typed.file.empty()) {
        HD_TRY(LoadedFleet loaded, load_fleet(typed.file));
        planned.options.fleet = std::move(loaded.fleet);
        use_history(loaded.config, planned);
        for (std::string& line : sim::assume_sizes(planned.options.fleet))
            planned.assumed.push_back(std::move(line));
    }
    planned.assumed.push_back(planned.measured.empty() ? kUsualSpeed
                                                       : fmt::format("else {}", kUsualSpeed));
    return planned;
}

Result<PlannedDay> work_of(const SimulateOptions& typed) {
    int sources = (typed.file.empty() ? 0 : 1) + (typed.trace.empty() ? 0 : 1) +
                  (typed.scenario.empty() ? 0 : 1);
    if (sources > 1)
        return fail(Code::kInvalid, "one of FILE, --trace and --scenario can be simulated at once");
    HD_TRY(sim::Faults faults, sim::parse_faults(typed.faults));
    if (!typed.trace.empty()) return recorded(typed, faults);
    if (!typed.scenario.empty()) return from_scenario(typed, faults);
    return of_fleet(typed, faults);
}

}  // namespace

Result<PlannedDay> plan_day(const SimulateOptions& typed) {
    HD_TRY(PlannedDay planned, work_of(typed));
    sim::Options& options = planned.options;
    HD_TRY_VOID(use_policy(typed.policy, options.fleet.policy));
    for (const std::string& knob : typed.knobs) HD_TRY_VOID(turn_knob(knob, options.fleet.policy));
    if (!typed.stagger.empty()) {
        HD_TRY(options.fleet.policy.stagger, parse_duration(typed.stagger));
    }
    options.check = typed.check;
    return planned;
}

}  // namespace hotdesk
