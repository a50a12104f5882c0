// SPDX-License-Identifier: MIT
#include "store/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "store/history_rows.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace hotdesk {
namespace {

constexpr int kBusyTimeoutMs = 2000;

CallOutcome call_outcome(const std::string& text) {
    for (const auto outcome : {CallOutcome::kDone, CallOutcome::kRefused, CallOutcome::kCancelled})
        if (to_string(outcome) == text) return outcome;
    return CallOutcome::kFailed;
}

// Selects what call_row() reads; a WHERE goes behind it.
constexpr const char* kSelectCalls =
    "SELECT id, run, agent, model, arrived_ms, ended_ms, waited_ms, ran_ms, prompt, cached, "
    "completion, outcome, why, need, have, who FROM calls";

EndedCall call_row(SQLite::Statement& row) {
    return {.id = {static_cast<uint64_t>(row.getColumn(0).getInt64())},
            .run = {static_cast<uint64_t>(row.getColumn(1).getInt64())},
            .agent = {row.getColumn(2).getString()},
            .model = {row.getColumn(3).getString()},
            .arrived = {row.getColumn(4).getInt64()},
            .ended = {row.getColumn(5).getInt64()},
            .waited = {row.getColumn(6).getInt64()},
            .ran = {row.getColumn(7).getInt64()},
            .prompt = {row.getColumn(8).getInt64()},
            .cached = {row.getColumn(9).getInt64()},
            .completion = {row.getColumn(10).getInt64()},
            .outcome = call_outcome(row.getColumn(11).getString()),
            .why = why_columns(row, 12)};
}

ReasonRecord reason_row(SQLite::Statement& row) {
    return {.at = {row.getColumn(0).getInt64()},
            .action = row.getColumn(1).getString(),
            .run = {static_cast<uint64_t>(row.getColumn(2).getInt64())},
            .call = {static_cast<uint64_t>(row.getColumn(3).getInt64())},
            .agent = {row.getColumn(4).getString()},
            .model = {row.getColumn(5).getString()},
            .why = why_columns(row, 6)};
}

ModelChange model_change(const std::string& text) {
    for (const auto change : {ModelChange::kLoading, ModelChange::kLoaded, ModelChange::kUnloaded,
                              ModelChange::kCrashed})
        if (to_string(change) == text) return change;
    return ModelChange::kFailed;
}

int bounded(int limit) {
    return std::clamp(limit, 1, kHistoryRowsMax);
}

// The reasons that `where` (with ?1) selects. They are read newest first, so that the limit drops
// the oldest, and turned round.
template <class Subject>
Result<std::vector<ReasonRecord>> select_reasons(SQLite::Database& db, const char* where,
                                                 Subject subject, int limit) {
    return guarded(db.getFilename(), [&]() -> Result<std::vector<ReasonRecord>> {
        SQLite::Statement rows(
            db,
            fmt::format(
                "SELECT at_ms, action, run, call, agent, model, why, need, have, who FROM reasons "
                "WHERE {} ORDER BY id DESC LIMIT ?2",
                where));
        bind_all(rows, subject, bounded(limit));
        std::vector<ReasonRecord> found;
        while (rows.executeStep()) found.push_back(reason_row(rows));
        std::reverse(found.begin(), found.end());
        return found;
    });
}

template <class Subject>
Result<std::optional<RunRecord>> select_run(SQLite::Database& db, const char* where,
                                            Subject subject) {
    return guarded(db.getFilename(), [&]() -> Result<std::optional<RunRecord>> {
        SQLite::Statement row(db, fmt::format("{} WHERE {}", kSelectRuns, where));
        bind_all(row, subject);
        if (!row.executeStep()) return std::nullopt;
        return run_row(row);
    });
}

}  // namespace

History::History(std::unique_ptr<SQLite::Database> db) : db_(std::move(db)) {}
History::History(History&&) noexcept = default;
History& History::operator=(History&&) noexcept = default;
History::~History() = default;

Result<History> History::open(const std::string& path) {
    if (!std::filesystem::exists(path))
        return fail(Code::kNotFound,
                    fmt::format("there is no history yet: {} does not exist", path));
    return guarded(path, [&]() -> Result<History> {
        auto db = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READONLY, kBusyTimeoutMs);
        const int version = db->execAndGet("PRAGMA user_version").getInt();
        if (version != kSchemaVersion)
            return fail(Code::kInvalid,
                        fmt::format("history {} has layout {}, this program reads {}", path,
                                    version, kSchemaVersion));
        return History(std::move(db));
    });
}

Result<std::vector<RunRecord>> History::runs(const RunQuery& query) {
    return guarded(db_->getFilename(), [&]() -> Result<std::vector<RunRecord>> {
        // The limit stands inside as well: rows are then read by id, newest first, and no more of
        // them than are wanted have their calls counted.
        constexpr const char* kNewest =
            "SELECT * FROM ({} WHERE (?1 = '' OR agent = ?1) AND {} >= ?2 ORDER BY id DESC LIMIT "
            "?3)";
        SQLite::Statement rows(
            *db_, fmt::format("{} UNION ALL {} ORDER BY started_ms DESC, id DESC LIMIT ?3",
                              fmt::format(kNewest, kSelectRuns, "started_ms"),
                              fmt::format(kNewest, kSelectSkips, "at_ms")));
        bind_all(rows, query.agent.value, query.since.ms, bounded(query.limit));
        std::vector<RunRecord> found;
        while (rows.executeStep()) found.push_back(run_row(rows));
        return found;
    });
}

Result<std::optional<RunRecord>> History::run(RunId id) {
    return select_run(*db_, "id = ?1", static_cast<int64_t>(id.value));
}

Result<std::optional<RunRecord>> History::last_run(const AgentName& agent) {
    return select_run(*db_, "agent = ?1 ORDER BY id DESC LIMIT 1", agent.value);
}

Result<std::map<AgentName, RunRecord>> History::last_ended_runs() {
    return guarded(db_->getFilename(), [&]() -> Result<std::map<AgentName, RunRecord>> {
        SQLite::Statement rows(*db_,
                               fmt::format("{} WHERE id IN (SELECT max(id) FROM runs WHERE outcome "
                                           "IS NOT NULL GROUP BY agent)",
                                           kSelectRuns));
        std::map<AgentName, RunRecord> found;
        while (rows.executeStep()) {
            RunRecord run = run_row(rows);
            AgentName agent = run.agent;
            found.emplace(std::move(agent), std::move(run));
        }
        return found;
    });
}

Result<std::optional<EndedCall>> History::call(CallId id) {
    return guarded(db_->getFilename(), [&]() -> Result<std::optional<EndedCall>> {
        SQLite::Statement row(*db_, fmt::format("{} WHERE id = ?1", kSelectCalls));
        bind_all(row, static_cast<int64_t>(id.value));
        if (!row.executeStep()) return std::nullopt;
        return call_row(row);
    });
}

Result<std::vector<EndedCall>> History::answered_calls(int limit) {
    return guarded(db_->getFilename(), [&]() -> Result<std::vector<EndedCall>> {
        SQLite::Statement rows(
            *db_, fmt::format("{} WHERE run <> 0 AND outcome = 'done' ORDER BY id DESC LIMIT ?1",
                              kSelectCalls));
        bind_all(rows, bounded(limit));
        std::vector<EndedCall> found;
        while (rows.executeStep()) found.push_back(call_row(rows));
        std::reverse(found.begin(), found.end());
        return found;
    });
}

Result<std::vector<ReasonRecord>> History::reasons(RunId run, int limit) {
    return select_reasons(
        *db_,
        "id IN (SELECT id FROM reasons WHERE run = ?1 AND run <> 0 UNION SELECT id FROM reasons "
        "WHERE call <> 0 AND call IN (SELECT id FROM calls WHERE calls.run = ?1))",
        static_cast<int64_t>(run.value), limit);
}

Result<std::vector<ReasonRecord>> History::reasons(CallId call, int limit) {
    return select_reasons(*db_, "call = ?1 AND call <> 0", static_cast<int64_t>(call.value), limit);
}

Result<std::vector<ReasonRecord>> History::reasons(const AgentName& agent, int limit) {
    return select_reasons(*db_, "agent = ?1 AND agent <> ''", agent.value, limit);
}

Result<std::vector<ReasonRecord>> History::reasons(const ModelName& model, int limit) {
    return select_reasons(*db_, "model = ?1 AND model <> ''", model.value, limit);
}

Result<std::vector<ModelRecord>> History::model_changes(const ModelName& model, int limit) {
    return guarded(db_->getFilename(), [&]() -> Result<std::vector<ModelRecord>> {
        SQLite::Statement rows(
            *db_,
            "SELECT at_ms, model, change, device_bytes, host_bytes, error FROM model_events "
            "WHERE model = ?1 ORDER BY id DESC LIMIT ?2");
        bind_all(rows, model.value, bounded(limit));
        std::vector<ModelRecord> found;
        while (rows.executeStep())
            found.push_back({.at = {rows.getColumn(0).getInt64()},
                             .model = {rows.getColumn(1).getString()},
                             .change = model_change(rows.getColumn(2).getString()),
                             .device = {rows.getColumn(3).getInt64()},
                             .host = {rows.getColumn(4).getInt64()},
                             .error = rows.getColumn(5).getString()});
        std::reverse(found.begin(), found.end());
        return found;
    });
}

}  // namespace hotdesk
