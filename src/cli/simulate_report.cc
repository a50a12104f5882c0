// SPDX-License-Identifier: MIT
#include "cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/table.h"

namespace hotdesk {
namespace {

constexpr size_t kAgentsShown = 10;

std::string time(Millis duration) {
    return format_duration(duration);
}

int64_t percent(int64_t part, int64_t whole) {
    return part * 100 / std::max<int64_t>(whole, 1);
}

std::string counts(const auto& by_outcome) {
    std::string text;
    for (const auto& [outcome, count] : by_outcome)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(outcome));
    return text.empty() ? "none" : text;
}

std::string waits(const Percentiles& ms) {
    return fmt::format("p50 {}, p95 {}, p99 {}, longest {}", time({ms.p50}), time({ms.p95}),
                       time({ms.p99}), time({ms.max}));
}

void print_notes(const DayNotes& notes) {
    for (const std::string& line : notes.measured) fmt::print("measured: {}\n", line);
    for (const std::string& line : notes.assumed) fmt::print("assumed: {}\n", line);
    fmt::print("\n");
}

void print_totals(const SimulatedDay& simulated) {
    const sim::Summary& s = simulated.day.summary;
    fmt::print("simulated   {} under {}, in {} ms\n", time(s.length), simulated.policy.name,
               simulated.wall_ms);
    fmt::print("firings     {}, late {}, of these {} for waiting\n", s.firings, s.late,
               s.late_by_waiting);
    fmt::print("runs        {}\n", counts(s.runs));
    fmt::print("not done    {}\n", counts(s.not_done));
    fmt::print("calls       {}; {} retried\n", counts(s.calls), s.retries);
    fmt::print("waits       {}\n", waits(s.waits_ms));
    fmt::print("desk        busy {} %, {} loads, at most {} of the device\n",
               percent(s.desk_busy.value, s.length.value), s.loads, format_bytes(s.device_peak));
    fmt::print("decisions   {} in {} cycles, {} ns each with the simulated machine\n", s.decisions,
               s.cycles, simulated.wall_ms * 1'000'000 / std::max<int64_t>(s.cycles, 1));
    fmt::print("trace_hash  {:016x}\n", s.trace_hash);
}

// A bar of one character for each 4 %.
void print_hours(const sim::Summary& s) {
    Table table({">hour", ">serving", ">loading", "of the desk"});
    for (size_t hour = 0; hour < s.whole.size(); ++hour) {
        if (s.whole[hour] < minutes(1)) continue;
        int64_t serving = percent(s.serving[hour].value, s.whole[hour].value);
        int64_t loading = percent(s.loading[hour].value, s.whole[hour].value);
        table.add({std::to_string(hour), fmt::format("{} %", serving), fmt::format("{} %", loading),
                   std::string(static_cast<size_t>(serving / 4), '#') +
                       std::string(static_cast<size_t>(loading / 4), '+')});
    }
    if (!table.is_empty()) fmt::print("\n{}", table.text());
}

void print_agents(const sim::Summary& s) {
    Table table(
        {"heaviest", ">firings", ">calls", ">served", ">waited", ">longest", ">late", ">not done"});
    for (const auto& [name, agent] : heaviest_agents(s))
        table.add({name.value, std::to_string(agent.firings), std::to_string(agent.calls),
                   time(agent.served), time(agent.waited), time(agent.wait_max),
                   std::to_string(agent.late), std::to_string(agent.missed)});
    if (!table.is_empty()) fmt::print("\n{}", table.text());
}

void print_advice(const DayNotes& notes) {
    if (!notes.why_no_advice.empty()) {
        fmt::print("\nno advice: {}\n", notes.why_no_advice);
        return;
    }
    if (notes.advice.empty()) {
        fmt::print("\nwhat to change: nothing that was tried made this day better\n");
        return;
    }
    fmt::print("\nwhat to change (each was simulated, with the same seed)\n");
    for (const sim::Advice& advice : notes.advice) {
        const sim::Figures &was = advice.before, &is = advice.after;
        fmt::print(
            "- {}\n  waits p95 {} -> {}, longest {} -> {}; late {} -> {}, not done {} -> {}; "
            "loads {} -> {}\n",
            advice.what, time({was.waits_ms.p95}), time({is.waits_ms.p95}),
            time({was.waits_ms.max}), time({is.waits_ms.max}), was.late, is.late, was.missed,
            is.missed, was.loads, is.loads);
    }
}

}  // namespace

double late_percent(const sim::Summary& s) {
    auto done = s.runs.find(Outcome::kDone);
    int64_t runs = done == s.runs.end() ? 0 : done->second;
    return static_cast<double>(s.late) * 100 / static_cast<double>(std::max<int64_t>(runs, 1));
}

std::vector<std::pair<AgentName, sim::AgentDay>> heaviest_agents(const sim::Summary& day) {
    std::vector<std::pair<AgentName, sim::AgentDay>> agents;
    for (const auto& [name, agent] : day.agents)
        if (agent.served > Millis{}) agents.emplace_back(name, agent);
    std::stable_sort(agents.begin(), agents.end(), [](const auto& a, const auto& b) {
        return a.second.served > b.second.served;
    });
    if (agents.size() > kAgentsShown) agents.resize(kAgentsShown);
    return agents;
}

void print_day(const SimulatedDay& simulated, const DayNotes& notes) {
    print_notes(notes);
    print_totals(simulated);
    print_hours(simulated.day.summary);
    print_agents(simulated.day.summary);
    print_advice(notes);
}

void print_compared(const std::vector<SimulatedDay>& days, const DayNotes& notes) {
    print_notes(notes);
    Table table({"policy", ">loads", ">wait p50", ">p95", ">p99", ">longest call wait", ">run p95",
                 ">late", ">skipped", ">prefill tokens"});
    for (const SimulatedDay& simulated : days) {
        const sim::Summary& s = simulated.day.summary;
        table.add({simulated.policy.name, std::to_string(s.loads), time({s.first_waits_ms.p50}),
                   time({s.first_waits_ms.p95}), time({s.first_waits_ms.p99}),
                   time({s.waits_ms.max}), time({s.run_times_ms.p95}),
                   fmt::format("{:.1f} %", late_percent(s)),
                   std::to_string(s.skipped_timeout + s.skipped_overlap),
                   std::to_string(s.prefilled.value)});
    }
    fmt::print("{}", table.text());
}

}  // namespace hotdesk
