// SPDX-License-Identifier: MIT
#include "cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "cli/report.h"
#include "cli/simulate_policy.h"
#include "cli/simulate_report.h"

namespace hotdesk {
namespace {

SimulatedDay simulate(const sim::Options& options, NamedPolicy policy) {
    auto begun = std::chrono::steady_clock::now();
    SimulatedDay simulated{.policy = std::move(policy), .day = sim::simulate(options)};
    auto took = std::chrono::steady_clock::now() - begun;
    simulated.wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    return simulated;
}

// Each has the work from its beginning: a player remembers what it has played.
std::vector<SimulatedDay> simulate_all(const PlannedDay& planned, const SimulateOptions& typed) {
    std::vector<SimulatedDay> days;
    const Policy& own = planned.options.fleet.policy;
    std::vector<NamedPolicy> policies{{name_of(own), name_of(own), own}};
    if (typed.compare) policies = compared_policies(own);
    for (const NamedPolicy& named : policies) {
        sim::Options options = planned.options;
        if (options.work) options.work = std::make_shared<sim::Player>(*planned.options.work);
        options.fleet.policy = named.policy;
        days.push_back(simulate(options, named));
    }
    return days;
}

std::string why_no_advice(const PlannedDay& planned, const SimulateOptions& typed,
                          const sim::Summary& day) {
    if (!planned.is_fleet) return "the schedule of this day is given";
    if (typed.no_advice) return "--no-advice";
    if (typed.check) return "--check looks for broken promises";
    if (!planned.options.faults.empty()) return "a day with faults says little about the fleet";
    if (day.cycles > sim::kTriedCyclesMax)
        return "the day is too long to simulate again with changes; try --hours 1";
    return "";
}

DayNotes notes_of(const PlannedDay& planned, const SimulateOptions& typed,
                  const std::vector<SimulatedDay>& days) {
    DayNotes notes{.measured = planned.measured, .assumed = planned.assumed};
    if (typed.compare) return notes;
    const sim::Summary& day = days.front().day.summary;
    notes.why_no_advice = why_no_advice(planned, typed, day);
    if (notes.why_no_advice.empty()) notes.advice = sim::advise(planned.options, day);
    return notes;
}

void print(const std::vector<SimulatedDay>& days, const DayNotes& notes,
           const SimulateOptions& typed) {
    if (typed.is_json)
        print_json(typed.compare ? compared_json(days, notes) : day_json(days.front(), notes));
    else if (typed.compare)
        print_compared(days, notes);
    else
        print_day(days.front(), notes);
}

// What must be typed for one of the days that were compared.
std::string replay_of(const SimulatedDay& simulated, SimulateOptions typed) {
    if (typed.compare) {
        typed.policy = simulated.policy.option;
        typed.stagger = fmt::format("{}ms", simulated.policy.policy.stagger.value);
    }
    return replay_command(typed);
}

int verdict(const std::vector<SimulatedDay>& days, const SimulateOptions& typed) {
    if (!typed.check) return to_int(ExitCode::kOk);
    int exit_code = to_int(ExitCode::kOk);
    for (const SimulatedDay& simulated : days) {
        for (const sim::Broken& b : simulated.day.broken)
            fmt::print(stderr, "hotdesk: broken at {} ms: {}: {}\n", b.at.ms, b.checker, b.what);
        if (simulated.day.broken.empty()) continue;
        fmt::print(stderr, "replay with: {}\n", replay_of(simulated, typed));
        exit_code = to_int(ExitCode::kFailed);
    }
    if (exit_code == to_int(ExitCode::kOk) && !typed.is_json)
        fmt::print("checkers    nothing found\n");
    return exit_code;
}

}  // namespace

int simulate_command(std::span<const std::string> args) {
    SimulateOptions typed;
    CLI::App app("Runs the policy over a simulated machine", "hotdesk simulate");
    add_options(app, typed);
    try {
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? to_int(ExitCode::kOk) : to_int(ExitCode::kUsage);
    }
    auto planned = plan_day(typed);
    if (!planned) return report(planned.error());
    std::vector<SimulatedDay> days = simulate_all(*planned, typed);
    print(days, notes_of(*planned, typed, days), typed);
    return verdict(days, typed);
}

}  // namespace hotdesk
