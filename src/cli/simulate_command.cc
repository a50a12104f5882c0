// SPDX-License-Identifier: MIT
#include "cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "base/text.h"
#include "cli/load_fleet.h"
#include "cli/report.h"
#include "cli/trace_file.h"
#include "sim/world.h"

namespace hotdesk {
namespace {

struct Typed {
    std::string file;
    int64_t days = 1;
    int64_t hours = 0;
    int agents = 50;
    uint64_t seed = 1;
    std::string faults;
    std::string trace;
    std::string policy;
    std::string stagger;
    std::vector<std::string> knobs;
    bool check = false;
    bool is_json = false;
};

struct Simulated {
    sim::Simulation day;
    std::vector<std::string> assumed;
    int64_t wall_ms = 0;
};

void add_options(CLI::App& app, Typed& typed) {
    app.add_option("FILE", typed.file, "Your hotdesk.toml (default: a generated fleet)");
    app.add_option("--days", typed.days, "Simulated days")
        ->capture_default_str()
        ->check(CLI::Range(1, 3660));
    app.add_option("--hours", typed.hours, "Simulated hours, instead of days")
        ->check(CLI::Range(1, 87'840));
    app.add_option("--agents", typed.agents, "Agents of the generated fleet")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--seed", typed.seed, "The same seed is the same day")->capture_default_str();
    app.add_option("--faults", typed.faults, "What goes wrong: \"all\", or names with commas");
    app.add_option("--trace", typed.trace,
                   "A recorded day (NDJSON, also gzipped) instead of a fleet");
    app.add_option("--policy", typed.policy, "Instead of the fleet's: gba, fifo or grouping");
    app.add_option("--set", typed.knobs,
                   "A knob of the policy, such as linger=4s; see doc/scheduling.md");
    app.add_option("--stagger", typed.stagger, "Instead of the fleet's: a duration, 0s for none");
    app.add_flag("--check", typed.check, "Run the checkers; exit 1 when a promise is broken");
    app.add_flag("--json", typed.is_json, "Print JSON");
}

Millis length_of(const Typed& typed) {
    return typed.hours > 0 ? hours(typed.hours) : hours(24 * typed.days);
}

// Replaces the fleet's own policy by the named one.
Status use_policy(const std::string& name, Policy& policy) {
    if (name.empty()) return {};
    policy.queue = name == "fifo" ? QueuePolicy::kFifo : QueuePolicy::kGba;
    if (name == "gba" || name == "fifo") return {};
    if (name != "grouping")
        return fail(Code::kInvalid,
                    fmt::format("--policy {}: there are gba, fifo and grouping", name));
    // A model is left when its line is empty, however long others wait.
    policy.gate_age = policy.visit_max = hours(24 * 366);
    policy.linger = policy.hold = policy.preload = Millis{};
    return {};
}

// "linger=4s": one of the times that the policy goes by.
Status turn(const std::string& text, Policy& policy) {
    size_t equals = std::min(text.find('='), text.size());
    std::string key = text.substr(0, equals);
    auto value = parse_duration(equals < text.size() ? text.substr(equals + 1) : "");
    if (!value) return fail(Code::kInvalid, fmt::format("--set {}: write KEY=DURATION", text));
    if (key == "gate_age") return policy.gate_age = *value, Status{};
    if (key == "linger") return policy.linger = *value, Status{};
    if (key == "preload") return policy.preload = *value, Status{};
    if (key == "hold") return policy.hold = *value, Status{};
    if (key == "visit_max") return policy.visit_max = *value, Status{};
    return fail(
        Code::kInvalid,
        fmt::format("--set {}: there are gate_age, linger, hold, preload and visit_max", text));
}

Status adjust(const Typed& typed, sim::Options& options) {
    HD_TRY_VOID(use_policy(typed.policy, options.fleet.policy));
    for (const std::string& knob : typed.knobs) HD_TRY_VOID(turn(knob, options.fleet.policy));
    if (!typed.stagger.empty()) {
        HD_TRY(options.fleet.policy.stagger, parse_duration(typed.stagger));
    }
    options.check = typed.check;
    return {};
}

Result<sim::Options> options_of(const Typed& typed, std::vector<std::string>& assumed) {
    if (!typed.trace.empty()) {
        HD_TRY(std::string text, read_trace_file(typed.trace));
        auto day = sim::read_day(text);
        if (!day) return fail(day.error().code, typed.trace + ": " + day.error().message);
        return sim::recorded_day(std::move(*day));
    }
    HD_TRY(sim::Faults faults, sim::parse_faults(typed.faults));
    sim::Options options = sim::usual_day(typed.seed, typed.agents, faults);
    options.length = length_of(typed);
    if (typed.file.empty()) return options;
    HD_TRY(LoadedFleet loaded, load_fleet(typed.file));
    options.fleet = std::move(loaded.fleet);
    assumed = sim::assume_sizes(options.fleet);
    return options;
}

Result<Simulated> simulate(const Typed& typed) {
    Simulated simulated;
    HD_TRY(sim::Options options, options_of(typed, simulated.assumed));
    HD_TRY_VOID(adjust(typed, options));
    auto begun = std::chrono::steady_clock::now();
    simulated.day = sim::simulate(std::move(options));
    auto took = std::chrono::steady_clock::now() - begun;
    simulated.wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    return simulated;
}

// Of the runs that ended.
double late_percent(const sim::Summary& s) {
    auto done = s.runs.find(Outcome::kDone);
    int64_t runs = done == s.runs.end() ? 0 : done->second;
    return static_cast<double>(s.late) * 100 / static_cast<double>(std::max<int64_t>(runs, 1));
}

// Of everything: the simulated machine takes about half of it.
int64_t ns_per_cycle(const Simulated& simulated) {
    return simulated.wall_ms * 1'000'000 / std::max<int64_t>(simulated.day.summary.cycles, 1);
}

nlohmann::json seconds_json(const Percentiles& ms) {
    auto seconds = [](int64_t value) { return static_cast<double>(value) / 1000; };
    return {{"p50", seconds(ms.p50)},
            {"p95", seconds(ms.p95)},
            {"p99", seconds(ms.p99)},
            {"max", seconds(ms.max)}};
}

nlohmann::json to_json(const Simulated& simulated) {
    const sim::Summary& s = simulated.day.summary;
    nlohmann::json out{{"schema", 1},
                       {"firings", s.firings},
                       {"late", s.late},
                       {"loads", s.loads},
                       {"retries", s.retries},
                       {"daemon_deaths", s.deaths},
                       {"simulated_ms", s.length.value},
                       {"desk_busy_ms", s.desk_busy.value},
                       {"device_bytes_peak", s.device_peak.value},
                       {"cycles", s.cycles},
                       {"decisions", s.decisions},
                       {"wall_ms", simulated.wall_ms},
                       {"ns_per_cycle", ns_per_cycle(simulated)},
                       {"trace_hash", fmt::format("{:016x}", s.trace_hash)},
                       {"assumed", simulated.assumed}};
    out["wait_s"] = seconds_json(s.first_waits_ms);
    out["run_s"] = seconds_json(s.run_times_ms);
    out["call_wait_max_s"] = static_cast<double>(s.waits_ms.max) / 1000;
    out["late_pct"] = late_percent(s);
    out["skipped"] = {{"timeout", s.skipped_timeout}, {"overlap", s.skipped_overlap}};
    out["prefill_tokens"] = s.prefilled.value;
    for (const auto& [outcome, n] : s.runs) out["runs"][std::string(to_string(outcome))] = n;
    for (const auto& [outcome, n] : s.calls) out["calls"][std::string(to_string(outcome))] = n;
    out["wait_ms"] = {{"p50", s.waits_ms.p50},
                      {"p95", s.waits_ms.p95},
                      {"p99", s.waits_ms.p99},
                      {"max", s.waits_ms.max}};
    out["broken"] = nlohmann::json::array();
    for (const sim::Broken& broken : simulated.day.broken)
        out["broken"].push_back(
            {{"checker", broken.checker}, {"at_ms", broken.at.ms}, {"what", broken.what}});
    return out;
}

std::string counts(const auto& by_outcome) {
    std::string text;
    for (const auto& [outcome, count] : by_outcome)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
    return text.empty() ? "none" : text;
}

void print_text(const Simulated& simulated) {
    const sim::Summary& s = simulated.day.summary;
    for (const std::string& line : simulated.assumed) fmt::print("{}\n", line);
    fmt::print(
        "assumed: prefill 1200 tokens/s, a decode step of 20 + 6 b ms, loads at 600 MiB/s\n\n");
    fmt::print("simulated   {} in {} ms\n", format_duration(s.length), simulated.wall_ms);
    fmt::print("firings     {}, late {}\n", s.firings, s.late);
    fmt::print("runs        {}\n", counts(s.runs));
    fmt::print("calls       {}; {} retried\n", counts(s.calls), s.retries);
    fmt::print("waits       p50 {}, p95 {}, p99 {}, longest {}\n",
               format_duration({s.waits_ms.p50}), format_duration({s.waits_ms.p95}),
               format_duration({s.waits_ms.p99}), format_duration({s.waits_ms.max}));
    fmt::print("desk        busy {} %, {} loads, at most {} of the device\n",
               s.desk_busy.value * 100 / std::max<int64_t>(s.length.value, 1), s.loads,
               format_bytes(s.device_peak));
    fmt::print("policy      {} decisions in {} cycles, {} ns each with the simulated machine\n",
               s.decisions, s.cycles, ns_per_cycle(simulated));
    fmt::print("trace_hash  {:016x}\n", s.trace_hash);
}

int verdict(const Typed& typed, const Simulated& simulated) {
    const auto& broken = simulated.day.broken;
    if (!typed.check) return to_int(ExitCode::kOk);
    if (broken.empty()) {
        if (!typed.is_json) fmt::print("checkers    nothing found\n");
        return to_int(ExitCode::kOk);
    }
    for (const sim::Broken& b : broken)
        fmt::print(stderr, "hotdesk: broken at {} ms: {}: {}\n", b.at.ms, b.checker, b.what);
    auto faults = sim::parse_faults(typed.faults);
    fmt::print(stderr, "replay with: {}\n",
               sim::command_for(typed.seed, typed.agents, length_of(typed), *faults));
    return to_int(ExitCode::kFailed);
}

}  // namespace

int simulate_command(std::span<const std::string> args) {
    Typed typed;
    CLI::App app("Runs the policy over a simulated machine", "hotdesk simulate");
    add_options(app, typed);
    try {
        app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? to_int(ExitCode::kOk) : to_int(ExitCode::kUsage);
    }
    auto simulated = simulate(typed);
    if (!simulated) return report(simulated.error());
    if (typed.is_json)
        print_json(to_json(*simulated));
    else
        print_text(*simulated);
    return verdict(typed, *simulated);
}

}  // namespace hotdesk
