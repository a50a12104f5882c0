// SPDX-License-Identifier: MIT
// What is going on now: status, ps, top, agents, models, desks, queue. Each asks the daemon one
// question and prints the object, or a table of it.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/arguments.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/table.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;
using Printer = std::string (*)(const Json&);

// Parses, asks, prints. `path` is the question.
int show(std::span<const std::string> args, const Syntax& syntax, std::string_view path,
         Printer text) {
    const auto typed = parse_arguments(args, syntax);
    if (!typed) return report_usage(typed.error());
    const auto answer = Client(daemon_whereabouts().socket).get(path);
    if (!answer) return report(answer.error());
    if (typed->is_json)
        print_json(*answer);
    else
        fmt::print("{}", text(*answer));
    return to_int(ExitCode::kOk);
}

std::string join(const Json& list) {
    std::string text;
    for (const Json& item : list) text += (text.empty() ? "" : ", ") + cell(item);
    return text.empty() ? "-" : text;
}

std::string table_or(const Table& table, const char* otherwise) {
    return table.is_empty() ? std::string(otherwise) + "\n" : table.text();
}

std::string status_text(const Json& s) {
    const char* mode = s["draining"] == true ? "draining"
                       : s["paused"] == true ? "paused"
                                             : "running";
    std::string text = fmt::format("hotdesk {}: {}\n", cell(s["version"]), mode);
    text += fmt::format("fleet   {} agents, {} models; {} runs alive\n", cell(s["agents"]),
                        cell(s["models"]), cell(s["runs_alive"]));
    text +=
        fmt::format("calls   {} running, {} waiting, the oldest for {}\n", cell(s["calls_running"]),
                    cell(s["calls_waiting"]), duration_cell(s["oldest_wait_ms"]));
    return text + fmt::format("desk    {}: lease {}, loaded: {}\n", cell(s["desk"]),
                              cell(s["lease"]), join(s["models_on_desk"]));
}

std::string runs_text(const Json& runs) {
    Table table({"RUN", "AGENT", "PHASE", ">RAN", ">WAITED", "WAITS FOR"});
    for (const Json& run : runs)
        table.add({cell(run["id"]), cell(run["agent"]), cell(run["phase"]),
                   duration_cell(run["ran_ms"]), duration_cell(run["waited_ms"]),
                   cell(run["waits_for"])});
    return table_or(table, "no run is alive");
}

std::string calls_text(const Json& calls) {
    Table table({">PLACE", "CALL", "RUN", "AGENT", "MODEL", "STATE", ">WAITED", ">ABOUT", ">LATEST",
                 "WAITS FOR"});
    for (const Json& call : calls)
        table.add({cell(call["place"]), cell(call["call"]), cell(call["run"]), cell(call["agent"]),
                   cell(call["model"]), cell(call["state"]), duration_cell(call["waited_ms"]),
                   duration_cell(call["about_ms"]), duration_cell(call["latest_ms"]),
                   cell(call["waits_for"])});
    return table_or(table, "no call is waiting or running");
}

std::string queue_text(const Json& answer) {
    return calls_text(answer["calls"]);
}

std::string ps_text(const Json& answer) {
    return runs_text(answer["runs"]) + "\n" + calls_text(answer["calls"]);
}

// "r-12 done, 13:15:02", or what it is doing.
std::string last_run_text(const Json& agent) {
    if (!agent["running"].empty()) return join(agent["running"]) + " running";
    const Json& last = agent["last_run"];
    if (last.is_null()) return "-";
    return fmt::format("{} {}, {}", cell(last["id"]), cell(last["outcome"]),
                       time_cell(last["ended_ms"]));
}

std::string agents_text(const Json& answer) {
    Table table({"AGENT", "SCHEDULE", "NEXT", "LAST RUN", "TASK"});
    for (const Json& agent : answer["agents"])
        table.add({cell(agent["name"]), cell(agent["schedule"]),
                   agent["paused"] == true ? "paused" : time_cell(agent["next_due_ms"]),
                   last_run_text(agent), cell(agent["task"])});
    return table_or(table, "the fleet has no agents");
}

std::string phase_text(const Json& model) {
    if (!model["unusable"].is_null()) return "unusable";
    if (model["progress_permille"].is_null()) return cell(model["phase"]);
    return fmt::format("loading {} %", model["progress_permille"].get<int>() / 10);
}

// What it holds, or would need.
std::string model_bytes_text(const Json& model) {
    const bool on_desk = model["placement"] == "desk";
    const bool present = model["phase"] != "absent";
    const char* key = present ? (on_desk ? "device_bytes_held" : "host_bytes_held")
                              : (on_desk ? "device_bytes_needed" : "host_bytes_needed");
    return bytes_cell(model[key]);
}

std::string models_text(const Json& answer) {
    Table table({"MODEL", "WHERE", "PHASE", ">MEMORY", ">CONTEXT", ">RUNNING", ">WAITING", ">LOADS",
                 ">IDLE", "ERROR"});
    for (const Json& model : answer["models"])
        table.add({cell(model["name"]), cell(model["placement"]), phase_text(model),
                   model_bytes_text(model), cell(model["context_tokens"]), cell(model["running"]),
                   cell(model["waiting"]), cell(model["loads"]), duration_cell(model["idle_ms"]),
                   cell(model["unusable"].is_null() ? model["last_error"] : model["unusable"])});
    return table_or(table, "the fleet has no models");
}

std::string desks_text(const Json& answer) {
    Table table({"DESK", "LEASE", "SINCE", ">BUDGET", ">HELD", ">FREE", ">DEVICE FREE", "MODELS",
                 ">OTHERS WAIT"});
    for (const Json& desk : answer["desks"])
        table.add({cell(desk["name"]), cell(desk["lease"]), time_cell(desk["since_ms"]),
                   bytes_cell(desk["budget_bytes"]), bytes_cell(desk["held_bytes"]),
                   bytes_cell(desk["free_bytes"]), bytes_cell(desk["device_bytes_free"]),
                   join(desk["models"]), duration_cell(desk["stranger_waits_ms"])});
    return table.text();
}

// One picture of `hotdesk top`.
Result<std::string> top_text(const Client& client) {
    HD_TRY(const Json status, client.get("status"));
    HD_TRY(const Json models, client.get("models"));
    HD_TRY(const Json ps, client.get("ps"));
    return status_text(status) + "\n" + models_text(models) + "\n" + ps_text(ps);
}

// Home, the picture with each line cleared to its end, then the rest of the screen cleared: this
// does not flicker as clearing first would.
std::string as_screen(std::string text) {
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 4)
        text.insert(at, "\033[K");
    return "\033[H" + text + "\033[J";
}

}  // namespace

int status_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk status [--json]", .flags = ""}, "status", status_text);
}
int ps_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk ps [--json]", .flags = ""}, "ps", ps_text);
}
int agents_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk agents [--json]", .flags = ""}, "agents", agents_text);
}
int models_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk models [--json]", .flags = ""}, "models", models_text);
}
int desks_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk desks [--json]", .flags = ""}, "desks", desks_text);
}
int queue_command(std::span<const std::string> args) {
    return show(args, {.usage = "hotdesk queue [--json]", .flags = ""}, "queue", queue_text);
}

// Off a terminal, or with --json, it shows one moment and ends.
int top_command(std::span<const std::string> args) {
    const bool live = isatty(STDOUT_FILENO) == 1 && args.empty();
    if (!live) return ps_command(args);
    const Client client(daemon_whereabouts().socket);
    for (;;) {
        const auto text = top_text(client);
        if (!text) return report(text.error());
        fmt::print("{}", as_screen(*text));
        std::fflush(stdout);
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}

}  // namespace hotdesk
