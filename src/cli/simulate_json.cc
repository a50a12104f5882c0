// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/simulate_report.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

Json seconds_json(const Percentiles& ms) {
    auto seconds = [](int64_t value) { return static_cast<double>(value) / 1000; };
    return {{"p50", seconds(ms.p50)},
            {"p95", seconds(ms.p95)},
            {"p99", seconds(ms.p99)},
            {"max", seconds(ms.max)}};
}

Json ms_json(const Percentiles& ms) {
    return {{"p50", ms.p50}, {"p95", ms.p95}, {"p99", ms.p99}, {"max", ms.max}};
}

// The figures that a policy is judged by.
Json figures_json(const SimulatedDay& simulated) {
    const sim::Summary& s = simulated.day.summary;
    return {{"policy", simulated.policy.name},
            {"loads", s.loads},
            {"wait_s", seconds_json(s.first_waits_ms)},
            {"run_s", seconds_json(s.run_times_ms)},
            {"call_wait_max_s", static_cast<double>(s.waits_ms.max) / 1000},
            {"late_pct", late_percent(s)},
            {"skipped", {{"timeout", s.skipped_timeout}, {"overlap", s.skipped_overlap}}},
            {"prefill_tokens", s.prefilled.value},
            {"trace_hash", fmt::format("{:016x}", s.trace_hash)}};
}

Json broken_json(const std::vector<sim::Broken>& all) {
    Json out = Json::array();
    for (const sim::Broken& broken : all)
        out.push_back(
            {{"checker", broken.checker}, {"at_ms", broken.at.ms}, {"what", broken.what}});
    return out;
}

Json hours_json(const sim::Summary& s) {
    Json out = Json::array();
    for (size_t hour = 0; hour < s.whole.size(); ++hour)
        out.push_back({{"hour", hour},
                       {"simulated_ms", s.whole[hour].value},
                       {"serving_ms", s.serving[hour].value},
                       {"loading_ms", s.loading[hour].value}});
    return out;
}

Json agents_json(const sim::Summary& s) {
    Json out = Json::array();
    for (const auto& [name, agent] : heaviest_agents(s))
        out.push_back({{"agent", name.value},
                       {"firings", agent.firings},
                       {"late", agent.late},
                       {"not_done", agent.missed},
                       {"calls", agent.calls},
                       {"served_ms", agent.served.value},
                       {"waited_ms", agent.waited.value},
                       {"wait_max_ms", agent.wait_max.value}});
    return out;
}

Json figures_json(const sim::Figures& figures) {
    return {{"loads", figures.loads},
            {"late", figures.late},
            {"not_done", figures.missed},
            {"wait_ms", ms_json(figures.waits_ms)}};
}

Json advice_json(const std::vector<sim::Advice>& all) {
    Json out = Json::array();
    for (const sim::Advice& advice : all)
        out.push_back({{"change", advice.what},
                       {"before", figures_json(advice.before)},
                       {"after", figures_json(advice.after)}});
    return out;
}

}  // namespace

Json day_json(const SimulatedDay& simulated, const DayNotes& notes) {
    const sim::Summary& s = simulated.day.summary;
    Json out = figures_json(simulated);
    out.update({{"schema", 1},
                {"firings", s.firings},
                {"late", s.late},
                {"late_by_waiting", s.late_by_waiting},
                {"retries", s.retries},
                {"daemon_deaths", s.deaths},
                {"simulated_ms", s.length.value},
                {"desk_busy_ms", s.desk_busy.value},
                {"device_bytes_peak", s.device_peak.value},
                {"cycles", s.cycles},
                {"decisions", s.decisions},
                {"wall_ms", simulated.wall_ms},
                {"ns_per_cycle", simulated.wall_ms * 1'000'000 / std::max<int64_t>(s.cycles, 1)},
                {"wait_ms", ms_json(s.waits_ms)},
                {"measured", notes.measured},
                {"assumed", notes.assumed},
                {"hours", hours_json(s)},
                {"agents", agents_json(s)},
                {"advice", advice_json(notes.advice)},
                {"broken", broken_json(simulated.day.broken)}});
    for (const auto& [outcome, n] : s.runs) out["runs"][std::string(to_string(outcome))] = n;
    for (const auto& [outcome, n] : s.calls) out["calls"][std::string(to_string(outcome))] = n;
    out["not_done"] = Json::object();
    for (const auto& [reason, n] : s.not_done) out["not_done"][std::string(to_string(reason))] = n;
    return out;
}

Json compared_json(const std::vector<SimulatedDay>& days, const DayNotes& notes) {
    Json list = Json::array();
    for (const SimulatedDay& simulated : days) {
        list.push_back(figures_json(simulated));
        list.back()["broken"] = broken_json(simulated.day.broken);
    }
    return {{"schema", 1},
            {"measured", notes.measured},
            {"assumed", notes.assumed},
            {"compared", std::move(list)}};
}

}  // namespace hotdesk
