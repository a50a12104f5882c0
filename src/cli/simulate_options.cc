// SPDX-License-Identifier: MIT
#include "cli/simulate_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace hotdesk {
namespace {

// A word that a shell reads as it stands, in quotes where it must be.
std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,=:@+%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string out = "'";
    for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

void add_work(CLI::App& app, SimulateOptions& typed) {
    app.add_option("FILE", typed.file, "Your hotdesk.toml (default: a generated fleet)");
    app.add_option("--trace", typed.trace,
                   "A recorded day (NDJSON, also gzipped) instead of a fleet");
    app.add_option("--scenario", typed.scenario,
                   "A scenario instead of a fleet: its name, or a file; see scenarios/README.md");
    app.add_option("--days", typed.days, "Simulated days (default: 1, or the scenario's)")
        ->check(CLI::Range(1, 3660));
    app.add_option("--minutes", typed.minutes, "Simulated minutes, instead of days")
        ->check(CLI::Range(1, 5'270'400));
    app.add_option("--hours", typed.hours, "Simulated hours, instead of days")
        ->check(CLI::Range(1, 87'840));
    app.add_option("--agents", typed.agents, "Agents of the generated fleet")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--seed", typed.seed,
                   "The same seed is the same day (default: 1, or the scenario's)");
    app.add_option("--faults", typed.faults, "What goes wrong: \"all\", or names with commas");
}

void add_policy(CLI::App& app, SimulateOptions& typed) {
    auto* policy =
        app.add_option("--policy", typed.policy, "Instead of the fleet's: gba, fifo or grouping");
    app.add_option("--set", typed.knobs, "A knob of the policy, such as linger=4s");
    app.add_option("--stagger", typed.stagger, "Instead of the fleet's: a duration, 0s for none");
    app.add_flag("--compare", typed.compare,
                 "The same day under gba, gba without stagger, grouping and fifo")
        ->excludes(policy);
}

}  // namespace

std::optional<Millis> SimulateOptions::length() const {
    if (minutes) return hotdesk::minutes(*minutes);
    if (hours) return hotdesk::hours(*hours);
    if (days) return hotdesk::hours(24 * *days);
    return std::nullopt;
}

void add_options(CLI::App& app, SimulateOptions& typed) {
    add_work(app, typed);
    add_policy(app, typed);
    app.add_flag("--check", typed.check, "Run the checkers; exit 1 when a promise is broken");
    app.add_flag("--no-advice", typed.no_advice, "Do not look for what to change in the fleet");
    app.add_flag("--json", typed.is_json, "Print JSON");
}

std::string replay_command(const SimulateOptions& typed) {
    std::string command = "hotdesk simulate";
    auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) command += fmt::format(" {}{}", option, quoted(value));
    };
    add("", typed.file);
    add("--trace ", typed.trace);
    add("--scenario ", typed.scenario);
    if (typed.is_generated()) add("--agents ", std::to_string(typed.agents));
    if (typed.seed || typed.is_generated()) add("--seed ", std::to_string(typed.seed.value_or(1)));
    if (typed.minutes)
        add("--minutes ", std::to_string(*typed.minutes));
    else if (typed.hours)
        add("--hours ", std::to_string(*typed.hours));
    else if (typed.days)
        add("--days ", std::to_string(*typed.days));
    add("--faults ", typed.faults);
    add("--policy ", typed.policy);
    add("--stagger ", typed.stagger);
    for (const std::string& knob : typed.knobs) add("--set ", knob);
    return command + " --check";
}

}  // namespace hotdesk
