// SPDX-License-Identifier: MIT
#include "daemon/history_views.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "daemon/subject.h"
#include "daemon/views_words.h"
#include "os/run_log.h"

namespace hotdesk::views {
namespace {

using Json = nlohmann::json;

// One piece of a log for a client; a follower asks for the next at once.
constexpr Bytes kLogPiece = kib(256);

Json reason_list(const std::vector<ReasonRecord>& reasons) {
    Json list = Json::array();
    for (const ReasonRecord& reason : reasons) list.push_back(reason_record(reason));
    return list;
}

Json why_body(const std::string& subject, std::string_view kind, Json record,
              const std::vector<ReasonRecord>& reasons) {
    return {{"schema", kSchema},           {"subject", subject}, {"kind", kind},
            {"record", std::move(record)}, {"now", nullptr},     {"reasons", reason_list(reasons)}};
}

Result<Json> why_run(History& history, RunId id, int limit) {
    HD_TRY(const auto record, history.run(id));
    HD_TRY(const auto reasons, history.reasons(id, limit));
    return why_body(run_id(id), "run", record ? run_record(*record) : Json(), reasons);
}

Result<Json> why_call(History& history, CallId id, int limit) {
    HD_TRY(const auto record, history.call(id));
    HD_TRY(const auto reasons, history.reasons(id, limit));
    return why_body(call_id(id), "call", record ? call_record(*record) : Json(), reasons);
}

// An agent and a model may share a name; both are told.
Result<Json> why_name(History& history, const std::string& name, int limit) {
    HD_TRY(auto reasons, history.reasons(AgentName{name}, limit));
    HD_TRY(const auto of_model, history.reasons(ModelName{name}, limit));
    reasons.insert(reasons.end(), of_model.begin(), of_model.end());
    return why_body(name, "name", nullptr, reasons);
}

std::string now_of(const Moment& moment, const Call& call) {
    const Waiting waits = waiting_for(moment.state, call, moment.seen.now);
    if (!waits.key.empty()) return fmt::format("waits for {}", waits.text);
    return fmt::format("{} on {}", word(call.phase), call.model.value);
}

std::string now_of(const Moment& moment, const hotdesk::Run& run) {
    for (const auto& [id, call] : moment.state.calls)
        if (call.run == run.id && call.phase != CallPhase::kEnded)
            return fmt::format("{}; {} {}", word(run.phase), call_id(id), now_of(moment, call));
    return std::string(word(run.phase));
}

std::optional<std::string> now_of_name(const Moment& moment, const std::string& name) {
    const State& state = moment.state;
    if (const auto agent = state.agents.find({name}); agent != state.agents.end()) {
        for (const auto& [id, run] : state.runs)
            if (run.agent.value == name && run.phase != RunPhase::kEnded)
                return fmt::format("{} {}", run_id(id), now_of(moment, run));
        return state.paused || agent->second.paused ? "paused" : "not running";
    }
    if (const auto worker = state.workers.find({name}); worker != state.workers.end())
        return std::string(word(worker->second.phase));
    const bool is_known =
        state.fleet.agents.contains({name}) || state.fleet.models.contains({name});
    return is_known ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace

Json run_list(const std::vector<RunRecord>& runs) {
    Json list = Json::array();
    for (const RunRecord& run : runs) list.push_back(run_record(run));
    return {{"schema", kSchema}, {"runs", std::move(list)}};
}

void put_live_runs(const Json& live, Json& runs) {
    std::map<std::string, const Json*> by_id;
    for (const Json& run : live) by_id[run["id"]] = &run;
    for (Json& run : runs) {
        const auto found = run["id"].is_string() ? by_id.find(run["id"]) : by_id.end();
        if (found == by_id.end()) continue;
        for (const char* key : {"phase", "ran_ms", "waited_ms", "waits_for"})
            run[key] = (*found->second)[key];
    }
}

Result<std::optional<RunRecord>> find_run(History& history, const std::string& name) {
    if (const auto id = parse_run_id(name)) return history.run(*id);
    return history.last_run({name});
}

Result<Json> why(History& history, const std::string& name, int limit) {
    if (const auto id = parse_run_id(name)) return why_run(history, *id, limit);
    if (const auto id = parse_call_id(name)) return why_call(history, *id, limit);
    return why_name(history, name, limit);
}

std::optional<std::string> now_of(const Moment& moment, const std::string& name) {
    if (const auto id = parse_run_id(name)) {
        const auto run = moment.state.runs.find(*id);
        return run == moment.state.runs.end() ? std::nullopt
                                              : std::optional(now_of(moment, run->second));
    }
    if (const auto id = parse_call_id(name)) {
        const auto call = moment.state.calls.find(*id);
        return call == moment.state.calls.end() ? std::nullopt
                                                : std::optional(now_of(moment, call->second));
    }
    return now_of_name(moment, name);
}

Result<Json> log_piece(const RunRecord& run, int64_t from) {
    HD_TRY(LogPiece piece, read_log(run.log_path, from, kLogPiece));
    return Json{
        {"schema", kSchema}, {"run", run_id(run.id)},    {"text", std::move(piece.text)},
        {"next", piece.end}, {"was_cut", piece.was_cut}, {"ended", run.outcome.has_value()}};
}

}  // namespace hotdesk::views
