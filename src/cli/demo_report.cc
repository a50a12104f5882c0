// SPDX-License-Identifier: MIT
#include "cli/demo_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "cli/report.h"
#include "core/line.h"
#include "os/clock.h"

namespace hotdesk::demo {
namespace {

constexpr Millis kLineEvery = seconds(3);

int64_t runs_failed(const Tally& tally) {
    return tally.runs(Outcome::kFailed) + tally.runs(Outcome::kTimedOut) +
           tally.runs(Outcome::kInterrupted);
}
int64_t runs_skipped(const Tally& tally) {
    return tally.runs(Outcome::kSkipped) + tally.firings_without_run(Outcome::kSkipped) +
           tally.firings_without_run(Outcome::kMissed);
}

int64_t sum(int64_t (*of)(const Tally&), const DemoResult& result) {
    return of(result.burst.tally) + of(result.day.tally);
}
int64_t runs_done(const Tally& tally) {
    return tally.runs(Outcome::kDone);
}
int64_t loads(const Tally& tally) {
    return tally.loads();
}
int64_t loads_failed(const Tally& tally) {
    return tally.loads_failed();
}

int64_t resident_max(const DemoResult& result) {
    return std::max(result.burst.tally.desk_resident_max(), result.day.tally.desk_resident_max());
}
int64_t oom(const DemoResult& result) {
    return result.device.failed_allocations + sum(loads_failed, result);
}

std::vector<int64_t> all_waits(const DemoResult& result) {
    std::vector<int64_t> waits = result.burst.tally.waits_ms();
    const auto& more = result.day.tally.waits_ms();
    waits.insert(waits.end(), more.begin(), more.end());
    return waits;
}

std::string seconds_text(Millis t) {
    return fmt::format("{:.1f} s", static_cast<double>(t.value) / 1000);
}

void print_part(const char* title, const PartResult& part) {
    Percentiles wait = percentiles_of(part.tally.waits_ms());
    fmt::print("  {:<22}{} runs done, {} failed, {} skipped in {}\n", title, runs_done(part.tally),
               runs_failed(part.tally), runs_skipped(part.tally), seconds_text(part.wall));
    fmt::print("  {:<22}{} calls, {} model loads, wait p50 {} p95 {} longest {}\n", "",
               part.tally.calls(CallOutcome::kDone), part.tally.loads(), seconds_text({wait.p50}),
               seconds_text({wait.p95}), seconds_text({wait.max}));
}

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const std::string& text) {
    if (is_terminal_) return fmt::print(stderr, "\r\033[K  {}", text);
    if (monotonic_now() < next_) return;
    next_ = monotonic_now() + kLineEvery;
    fmt::print(stderr, "  {}\n", text);
}

void ProgressLine::finish(const std::string& text) {
    fmt::print(stderr, "{}  {}\n", is_terminal_ ? "\r\033[K" : "", text);
    next_ = {};
}

std::string progress_text(const State& state, const Tally& tally, int runs_expected) {
    auto lines = lines_of(state);
    size_t waiting = 0;
    for (const auto& [model, line] : lines) waiting += line.waiting.size();
    std::string desk = "empty";
    for (const auto& [model, worker] : state.workers) {
        if (worker.phase == WorkerPhase::kAbsent || worker.spec.placement != Placement::kDesk)
            continue;
        desk = worker.phase == WorkerPhase::kReady
                   ? fmt::format("{} ({} running)", model.value, lines[model].running)
                   : fmt::format("{} ({})", model.value,
                                 worker.phase == WorkerPhase::kLoading ? "loading" : "unloading");
    }
    return fmt::format("{}/{} runs done, {} going, {} calls waiting | desk: {} | {} loads",
                       runs_done(tally), runs_expected, state.runs.size(), waiting, desk,
                       tally.loads());
}

void print_summary(const DemoResult& result) {
    fmt::print("\nFifty agents, one desk of {}\n\n", format_bytes(kDeskBytes));
    print_part("all at once", result.burst);
    print_part("a day, time-lapse", result.day);
    fmt::print(
        "  {:<22}{} of {} at the most, {} heavy model resident at a time, {} out of memory\n",
        "memory", format_bytes(result.device.peak), format_bytes(kDeskBytes), resident_max(result),
        oom(result));
    fmt::print(
        "  {:<22}{} of {} runs done, {} out of memory{} in {}\n\n", "without hotdesk",
        result.naive.runs_done, kAgents, result.naive.oom,
        result.naive.failed > 0 ? fmt::format(", {} failed otherwise", result.naive.failed) : "",
        seconds_text(result.naive.wall));
    fmt::print(
        "The device is emulated: a ggml backend with a hard budget of {} that computes on the "
        "CPU.\n"
        "Agents, daemon, lease, workers, llama.cpp and every failed allocation are real. The "
        "models have\n"
        "random weights: what they say means nothing. Took {}.\n",
        format_bytes(kDeskBytes), seconds_text(result.wall));
}

void print_json_summary(const DemoResult& result) {
    Percentiles wait = percentiles_of(all_waits(result));
    print_json({{"schema", 1},
                {"agents", kAgents},
                {"runs_done", sum(runs_done, result)},
                {"runs_failed", sum(runs_failed, result)},
                {"runs_skipped", sum(runs_skipped, result)},
                {"burst_runs_done", runs_done(result.burst.tally)},
                {"day_runs_done", runs_done(result.day.tally)},
                {"model_loads", sum(loads, result)},
                {"heavy_resident_max", resident_max(result)},
                {"oom", oom(result)},
                {"peak_device_bytes", result.device.peak.value},
                {"budget_bytes", kDeskBytes.value},
                {"wait_ms", {{"p50", wait.p50}, {"p95", wait.p95}, {"max", wait.max}}},
                {"wall_ms", result.wall.value},
                {"device", "emulated"},
                {"naive",
                 {{"oom", result.naive.oom},
                  {"runs_done", result.naive.runs_done},
                  {"failed", result.naive.failed},
                  {"wall_ms", result.naive.wall.value}}}});
}

bool is_good(const DemoResult& result) {
    return runs_done(result.burst.tally) == kAgents && sum(runs_failed, result) == 0 &&
           resident_max(result) <= 1 && oom(result) == 0 && result.device.peak <= kDeskBytes;
}

}  // namespace hotdesk::demo
