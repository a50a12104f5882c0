// SPDX-License-Identifier: MIT
// What the operator wants: run, stop, pause, resume, drain, evict, reload. Each is one command to
// the daemon; what comes of it shows in ps, runs and why.

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/report.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

// Posts to `path` and says what was done, on stderr: there is no data.
int tell(const Arguments& typed, const std::string& path, const std::string& done) {
    const auto answer = Client(daemon_whereabouts().socket).post(path);
    if (!answer) return report(answer.error());
    if (typed.is_json)
        print_json(*answer);
    else
        fmt::print(stderr, "{}\n", done);
    return to_int(ExitCode::kOk);
}

// ---- run --wait --------------------------------------------------------------------------------

// A failed command's own exit code goes through.
int exit_code_of(const Json& run) {
    const std::string outcome = cell(run["outcome"]);
    if (outcome == "done") return to_int(ExitCode::kOk);
    if (outcome == "timed-out") return to_int(ExitCode::kTimeLimit);
    if (outcome == "skipped" || outcome == "missed") return to_int(ExitCode::kTryLater);
    const int code = run["exit_code"].get<int>();
    return outcome == "failed" && code != 0 ? code : to_int(ExitCode::kFailed);
}

std::string summary(const Json& run) {
    return fmt::format(
        "{} {} after {}, {} of it waiting: {}", cell(run["id"]), cell(run["outcome"]),
        format_duration({run["ran_ms"].get<int64_t>() + run["waited_ms"].get<int64_t>()}),
        duration_cell(run["waited_ms"]), cell(run["why"]["text"]));
}

std::string progress(const Json& run) {
    if (run["started"].is_null()) return "waiting to be started";
    const bool waits = run.contains("waits_for") && !run["waits_for"].is_null();
    return waits ? "waiting for " + cell(run["waits_for"]) : cell(run["id"]) + " running";
}

// Polls, and says on stderr whom the run waits for whenever that changes.
int wait_for_run(const Client& client, const std::string& id, bool is_json) {
    for (std::string said;;) {
        const auto run = client.get("runs/" + id);
        if (!run && run.error().code == Code::kNotFound)
            return report({Code::kInternal,
                           fmt::format("{} was not started and is on no record: the daemon's "
                                       "log says why",
                                       id)});
        if (!run) return report(run.error());
        if (!(*run)["outcome"].is_null()) {
            if (is_json)
                print_json(*run);
            else
                fmt::print(stderr, "{}\n", summary(*run));
            return exit_code_of(*run);
        }
        const std::string now = progress(*run);
        if (now != said) fmt::print(stderr, "{}\n", now);
        said = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
}

}  // namespace

int run_agent_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(args, {.usage = "hotdesk run AGENT [--wait] [--json]",
                                              .names_min = 1,
                                              .names_max = 1,
                                              .flags = "--wait"});
    if (!typed) return report_usage(typed.error());
    const std::string& agent = typed->names[0];
    const Client client(daemon_whereabouts().socket);
    const auto asked = client.post(fmt::format("agents/{}/run", percent_encode(agent)));
    if (!asked) return report(asked.error());
    const std::string run = cell((*asked)["run"]);
    if (typed->wait) return wait_for_run(client, run, typed->is_json);
    if (typed->is_json)
        print_json(*asked);
    else
        fmt::print(stderr, "{} is asked to run as {}: see hotdesk ps, hotdesk logs {}\n", agent,
                   run, agent);
    return to_int(ExitCode::kOk);
}

int stop_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(
        args, {.usage = "hotdesk stop r-12 [--json]", .names_min = 1, .names_max = 1, .flags = ""});
    if (!typed) return report_usage(typed.error());
    return tell(*typed, fmt::format("runs/{}/stop", percent_encode(typed->names[0])),
                fmt::format("{} is asked to end", typed->names[0]));
}

// One agent, or the whole fleet.
int pause_or_resume(std::span<const std::string> args, const std::string& verb, const char* usage) {
    const auto typed = parse_arguments(args, {.usage = usage, .names_max = 1, .flags = ""});
    if (!typed) return report_usage(typed.error());
    const bool all = typed->names.empty();
    const std::string path =
        all ? verb : fmt::format("agents/{}/{}", percent_encode(typed->names[0]), verb);
    return tell(*typed, path,
                fmt::format("{} {}d", all ? "the fleet is" : typed->names[0] + " is", verb));
}

int pause_command(std::span<const std::string> args) {
    return pause_or_resume(args, "pause", "hotdesk pause [AGENT] [--json]");
}
int resume_command(std::span<const std::string> args) {
    return pause_or_resume(args, "resume", "hotdesk resume [AGENT] [--json]");
}

int drain_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(args, {.usage = "hotdesk drain [--json]", .flags = ""});
    if (!typed) return report_usage(typed.error());
    return tell(*typed, "drain", "the daemon finishes what runs, starts nothing new, and ends");
}

int evict_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(
        args,
        {.usage = "hotdesk evict MODEL [--json]", .names_min = 1, .names_max = 1, .flags = ""});
    if (!typed) return report_usage(typed.error());
    return tell(*typed, fmt::format("models/{}/evict", percent_encode(typed->names[0])),
                fmt::format("{} is unloaded as soon as no call runs on it", typed->names[0]));
}

int reload_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(args, {.usage = "hotdesk reload [--json]", .flags = ""});
    if (!typed) return report_usage(typed.error());
    return tell(*typed, "reload", "the config is read again");
}

}  // namespace hotdesk
