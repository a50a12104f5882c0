// SPDX-License-Identifier: MIT
#include "cli/demo_command.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>

#include "cli/arguments.h"
#include "cli/demo_daemon.h"
#include "cli/demo_naive.h"
#include "cli/demo_report.h"
#include "cli/load_fleet.h"
#include "cli/report.h"
#include "os/clock.h"

namespace hotdesk {
namespace {

using namespace demo;
namespace fs = std::filesystem;

constexpr int kTimeLapse = 2880;  // a day in 30 s
constexpr Millis kPartMax = minutes(3);

// ---- where things are --------------------------------------------------------------------------

std::string cache_directory() {
    if (const char* xdg = ::getenv("XDG_CACHE_HOME")) return std::string(xdg) + "/hotdesk";
    const char* home = ::getenv("HOME");
    return std::string(home ? home : "/tmp") + "/.cache/hotdesk";
}

Result<Places> make_places() {
    Places places;
    places.programs = program_directory();
    places.python = fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
    places.models_dir = cache_directory() + "/demo-models";
    std::string name = (fs::temp_directory_path() / "hotdesk-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return fail(Code::kDenied, fmt::format("cannot make a directory in {}",
                                               fs::temp_directory_path().string()));
    places.directory = name;
    for (const char* share : {"/share/hotdesk", "/../share/hotdesk"})
        if (fs::exists(places.programs + share + "/demo/agent.py"))
            places.agent_script = places.programs + share + "/demo/agent.py";
    if (places.agent_script.empty())
        return fail(Code::kNotFound,
                    fmt::format("{}/share/hotdesk/demo/agent.py is missing", places.programs));
    return places;
}

Status make_models(const Places& places, ProgressLine& line) {
    std::error_code ec;
    fs::create_directories(places.models_dir, ec);
    HD_TRY(RunLog log, RunLog::create(places.directory + "/models.log"));
    for (const DemoModel& model : models()) {
        std::string path = model_path(places, model), part = path + ".part";
        if (fs::exists(path)) continue;
        line.show(fmt::format("making the model {} ({})", model.name, model.size));
        HD_TRY_VOID(
            run_to_end({places.programs + "/hotdesk-mkmodel", "--size", model.size, "--seed",
                        std::to_string(model.seed), "--name", model.name, "--quiet", part},
                       log));
        fs::rename(part, path, ec);
        if (ec) return fail(Code::kNoSpace, fmt::format("cannot write {}: {}", path, ec.message()));
    }
    return {};
}

// ---- the parts ---------------------------------------------------------------------------------

// Shows progress until `is_over`. Errors: kTimeout when that takes longer than kPartMax.
Status watch(DemoDaemon& daemon, ProgressLine& line, int runs_expected,
             const std::function<bool()>& is_over) {
    Instant until = monotonic_now() + kPartMax;
    while (!is_over()) {
        HD_TRY_VOID(daemon.follow());
        line.show(progress_text(daemon.state(), daemon.tally(), runs_expected));
        if (monotonic_now() >= until)
            return fail(Code::kTimeout, fmt::format("not over after {} s", kPartMax.value / 1000));
        pause_a_moment();
    }
    return {};
}

int64_t runs_closed(const Tally& tally) {
    int64_t sum = 0;
    for (Outcome outcome : kOutcomes) sum += tally.runs(outcome);
    return sum;
}

// All fifty are started in one moment.
Result<PartResult> run_burst(const Places& places, ProgressLine& line) {
    HD_TRY(auto daemon, DemoDaemon::start(places, 1));
    Instant began = monotonic_now();
    for (const DemoAgent& agent : agents())
        HD_TRY_VOID(daemon->client().post("agents/" + agent.name + "/run"));
    HD_TRY_VOID(
        watch(*daemon, line, kAgents, [&] { return runs_closed(daemon->tally()) >= kAgents; }));
    Millis wall = monotonic_now() - began;
    HD_TRY_VOID(daemon->stop());
    return PartResult{daemon->tally(), wall};
}

// The fleet's own schedules over one day; then the runs under way end and the daemon with them.
Result<PartResult> run_day(const Places& places, ProgressLine& line) {
    HD_TRY(auto daemon, DemoDaemon::start(places, kTimeLapse));
    Instant began = monotonic_now();
    Instant evening = began + Millis{hours(24).value / kTimeLapse};
    HD_TRY_VOID(watch(*daemon, line, kFiringsADay, [&] { return monotonic_now() >= evening; }));
    HD_TRY_VOID(daemon->drain());
    HD_TRY_VOID(watch(*daemon, line, kFiringsADay, [&] { return daemon->has_ended(); }));
    return PartResult{daemon->tally(), monotonic_now() - began};
}

Result<DemoResult> run_demo(const Places& places) {
    ProgressLine line;
    DemoResult result;
    HD_TRY_VOID(make_models(places, line));
    Instant began = monotonic_now();
    fmt::print(stderr, "1. All fifty agents at once\n");
    HD_TRY(result.burst, run_burst(places, line));
    line.finish(fmt::format("{} runs done", result.burst.tally.runs(Outcome::kDone)));
    fmt::print(stderr, "2. Their day, in half a minute\n");
    HD_TRY(result.day, run_day(places, line));
    line.finish(fmt::format("{} runs done", result.day.tally.runs(Outcome::kDone)));
    HD_TRY(result.device, read_emulated_ledger(places.ledger()));
    fmt::print(stderr,
               "3. The same fifty without hotdesk: each loads its own model when it wakes\n");
    HD_TRY(
        result.naive, run_naive(places, [&](const NaiveResult& so_far) {
            line.show(fmt::format("{} runs done, {} out of memory", so_far.runs_done, so_far.oom));
        }));
    line.finish(
        fmt::format("{} runs done, {} out of memory", result.naive.runs_done, result.naive.oom));
    result.wall = monotonic_now() - began;
    return result;
}

}  // namespace

int demo_command(std::span<const std::string> args) {
    auto typed = parse_arguments(args, {.usage = "hotdesk demo [--json]"});
    if (!typed) return report_usage(typed.error());
    auto places = make_places();
    if (!places) return report(places.error());
    auto result = run_demo(*places);
    if (!result) {
        fmt::print(stderr, "hotdesk demo: {}; what it wrote is in {}\n", result.error().message,
                   places->directory);
        return to_int(ExitCode::kFailed);
    }
    if (typed->is_json)
        print_json_summary(*result);
    else
        print_summary(*result);
    bool good = is_good(*result);
    std::error_code ec;
    if (good)
        fs::remove_all(places->directory, ec);
    else
        fmt::print(stderr, "hotdesk demo: not as promised; logs and history are in {}\n",
                   places->directory);
    return to_int(good ? ExitCode::kOk : ExitCode::kFailed);
}

}  // namespace hotdesk
