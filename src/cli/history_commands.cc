// SPDX-License-Identifier: MIT
// What has been: runs, logs, why. The daemon answers them with what is live laid over; without one
// the same objects are made from the history file, and a notice says so.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "cli/arguments.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/table.h"
#include "daemon/history_views.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

constexpr int kReasonsShown = 200;

// The daemon's answer, or `offline`'s when no daemon is there.
Result<Json> ask(const std::string& path, const std::function<Result<Json>(History&)>& offline) {
    const Whereabouts places = daemon_whereabouts();
    auto answer = Client(places.socket).get(path);
    if (answer || answer.error().code != Code::kUnavailable) return answer;
    auto history = History::open(places.state_dir + "/hotdesk.db");
    if (!history)
        return history.error().code == Code::kNotFound ? answer : tl::unexpected(history.error());
    static bool said = false;
    if (!said)
        fmt::print(stderr, "hotdesk: no daemon is running; this is the history in {}\n",
                   places.state_dir);
    said = true;
    return offline(*history);
}

// ---- runs --------------------------------------------------------------------------------------

// "-" never stands for an outcome: what has none is alive, or was when the daemon died.
std::string outcome_text(const Json& run) {
    if (!run["outcome"].is_null()) return cell(run["outcome"]);
    return run.contains("phase") ? cell(run["phase"]) : "unfinished";
}

std::string run_or_count(const Json& run) {
    if (!run["id"].is_null()) return cell(run["id"]);
    return run["count"] == 1 ? "-" : fmt::format("{} firings", cell(run["count"]));
}

// A reason is shown where it adds something: not for "the command ended with exit code 0".
std::string why_text(const Json& run) {
    const bool waits = run.contains("waits_for") && !run["waits_for"].is_null();
    if (waits) return "waits for " + cell(run["waits_for"]);
    return run["outcome"] == "done" ? "" : cell(run["why"]["text"]);
}

std::string runs_text(const Json& answer) {
    Table table(
        {"RUN", "AGENT", "STARTED", "OUTCOME", ">EXIT", ">RAN", ">WAITED", ">CALLS", "WHY"});
    for (const Json& run : answer["runs"])
        table.add({run_or_count(run), cell(run["agent"]), time_cell(run["started_ms"]),
                   outcome_text(run),
                   run["outcome"].is_null() || run["id"].is_null() ? "-" : cell(run["exit_code"]),
                   duration_cell(run["ran_ms"]), duration_cell(run["waited_ms"]),
                   cell(run["calls"]), why_text(run)});
    return table.is_empty() ? "no runs\n" : table.text();
}

// ---- why ---------------------------------------------------------------------------------------

std::string subject_of(const Json& reason) {
    std::string text;
    for (const char* key : {"run", "call", "agent", "model"})
        if (!reason[key].is_null()) text += (text.empty() ? "" : " ") + cell(reason[key]);
    return text;
}

std::string why_page(const Json& answer) {
    std::string text;
    if (!answer["now"].is_null())
        text += fmt::format("{}: {}\n", cell(answer["subject"]), cell(answer["now"]));
    const Json& record = answer["record"];
    if (!record.is_null() && !record["outcome"].is_null())
        text += fmt::format("{}: {}: {}\n", cell(answer["subject"]), cell(record["outcome"]),
                            cell(record["why"]["text"]));
    Table table({"AT", "DECISION", "ABOUT", "WHY"});
    for (const Json& reason : answer["reasons"])
        table.add({time_cell(reason["at_ms"]), cell(reason["action"]), subject_of(reason),
                   cell(reason["why"]["text"])});
    return table.is_empty() ? text + "nothing was decided about it\n" : text + table.text();
}

// ---- logs --------------------------------------------------------------------------------------

Result<Json> log_offline(History& history, const std::string& name, int64_t from) {
    HD_TRY(const auto run, views::find_run(history, name));
    if (!run) return fail(Code::kNotFound, fmt::format("the history has no run of {}", name));
    return views::log_piece(*run, from);
}

Result<Json> log_piece(const std::string& name, int64_t from) {
    return ask(fmt::format("logs/{}?from={}", percent_encode(name), from),
               [&](History& history) { return log_offline(history, name, from); });
}

// Prints pieces until the log ends; when following, until its run has ended too.
int print_log(std::string name, bool follow) {
    for (int64_t from = 0;;) {
        const auto piece = log_piece(name, from);
        if (!piece) return report(piece.error());
        if ((*piece)["was_cut"] == true)
            fmt::print(stderr, "hotdesk: the middle of the log was cut meanwhile\n");
        const auto text = (*piece)["text"].get<std::string>();
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
        name = (*piece)["run"];  // of an agent's name: its newest run, and no newer one later
        from = (*piece)["next"];
        const bool ended = (*piece)["ended"] == true || !follow;
        if (text.empty() && ended) return to_int(ExitCode::kOk);
        if (text.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
}

}  // namespace

int runs_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(
        args, {.usage = "hotdesk runs [--agent NAME] [--since 1d] [--limit 50] [--json]",
               .flags = "--agent --since --limit"});
    if (!typed) return report_usage(typed.error());
    const Wall since = typed->since ? wall_now() - *typed->since : Wall{};
    const RunQuery query{.agent = {typed->agent}, .since = since, .limit = typed->limit};
    const auto answer = ask(fmt::format("runs?agent={}&since={}&limit={}",
                                        percent_encode(typed->agent), since.ms, typed->limit),
                            [&](History& history) -> Result<Json> {
                                HD_TRY(const auto runs, history.runs(query));
                                return views::run_list(runs);
                            });
    if (!answer) return report(answer.error());
    if (typed->is_json)
        print_json(*answer);
    else
        fmt::print("{}", runs_text(*answer));
    return to_int(ExitCode::kOk);
}

int why_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(args, {.usage = "hotdesk why r-12|c-7|AGENT|MODEL [--json]",
                                              .names_min = 1,
                                              .names_max = 1,
                                              .flags = ""});
    if (!typed) return report_usage(typed.error());
    const std::string& name = typed->names[0];
    const auto answer = ask("why/" + percent_encode(name), [&](History& history) {
        return views::why(history, name, kReasonsShown);
    });
    if (!answer) return report(answer.error());
    if (typed->is_json)
        print_json(*answer);
    else
        fmt::print("{}", why_page(*answer));
    return to_int(ExitCode::kOk);
}

int logs_command(std::span<const std::string> args) {
    const auto typed = parse_arguments(args, {.usage = "hotdesk logs AGENT|r-12 [-f] [--json]",
                                              .names_min = 1,
                                              .names_max = 1,
                                              .flags = "--follow"});
    if (!typed) return report_usage(typed.error());
    if (!typed->is_json) return print_log(typed->names[0], typed->follow);
    const auto piece = log_piece(typed->names[0], 0);
    if (!piece) return report(piece.error());
    print_json(*piece);
    return to_int(ExitCode::kOk);
}

}  // namespace hotdesk
