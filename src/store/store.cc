// SPDX-License-Identifier: MIT
#include "store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <ctime>
#include <filesystem>

#include "core/limits.h"
#include "store/history_rows.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace hotdesk {
namespace {

using Connection = std::unique_ptr<SQLite::Database>;

constexpr int kBusyTimeoutMs =
    2000;  // a backup or `sqlite3` at the file; the loop may not wait longer

Connection connect(const std::string& path) {
    auto db = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                 kBusyTimeoutMs);
    db->exec("PRAGMA journal_mode = WAL");
    db->exec("PRAGMA synchronous = NORMAL");
    return db;
}

// quick_check reads the whole file: about a second for 1 GB on an SSD, once at the start.
bool is_sound(SQLite::Database& db) {
    SQLite::Statement check(db, "PRAGMA quick_check(1)");
    return check.executeStep() && check.getColumn(0).getString() == "ok";
}

bool says_corrupt(const SQLite::Exception& error) {
    const int code = error.getErrorCode() & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

// Nothing when the file is no sound database.
Connection connect_if_sound(const std::string& path) {
    try {
        Connection db = connect(path);
        return is_sound(*db) ? std::move(db) : nullptr;
    } catch (const SQLite::Exception& error) {
        if (says_corrupt(error)) return nullptr;
        throw;
    }
}

std::string compact_utc(Wall at) {
    const std::time_t seconds = at.ms / 1000;
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                       utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

// The log of a WAL database belongs to it, so all of its files move. Returns: the new name.
Result<std::string> set_aside(const std::string& path, Wall now) {
    const std::string wanted = fmt::format("{}.corrupt-{}", path, compact_utc(now));
    std::string aside = wanted;
    for (int n = 2; std::filesystem::exists(aside); ++n) aside = fmt::format("{}.{}", wanted, n);
    for (const char* suffix : {"", "-wal", "-shm"}) {
        std::error_code error;
        std::filesystem::rename(path + suffix, aside + suffix, error);
        if (error && *suffix == '\0')
            return fail(Code::kDenied,
                        fmt::format("history {} is damaged and cannot be renamed to {}: {}", path,
                                    aside, error.message()));
    }
    return aside;
}

Status migrate(SQLite::Database& db, const std::string& path) {
    int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version > kSchemaVersion)
        return fail(
            Code::kInvalid,
            fmt::format("history {} was written by a newer Hotdesk (layout {}, this one knows {}): "
                        "install that version, or move the file away",
                        path, version, kSchemaVersion));
    for (; version < kSchemaVersion; ++version) {
        SQLite::Transaction transaction(db);
        db.exec(std::string(migration(version)));
        db.exec(fmt::format("PRAGMA user_version = {}", version + 1));
        transaction.commit();
    }
    return {};
}

// A manual run answers no firing; its `due` is when somebody asked for it. The latest firing
// counts, unless it was seen by a clock that was wrong.
void remember_due(SQLite::Database& db, const AgentName& agent, Wall due) {
    execute(db,
            "INSERT INTO agents (name, last_due_ms) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE "
            "SET last_due_ms = iif(last_due_ms > ?2 + ?3, ?2, max(last_due_ms, ?2))",
            agent.value, due.ms, kSetBackMax.value);
}

int64_t as_sql(uint64_t id) {
    return static_cast<int64_t>(id);
}

void write(SQLite::Database& db, const RunBegun& run) {
    execute(db,
            "INSERT INTO runs (id, agent, trigger, due_ms, started_ms, why, need, have, who, "
            "marker, log_path) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
            as_sql(run.id.value), run.agent.value, text_of(to_string(run.trigger)), run.due.ms,
            run.started.ms, text_of(to_string(run.why.reason)), run.why.need, run.why.have,
            run.why.who, run.marker, run.log_path);
    if (run.trigger != Trigger::kManual) remember_due(db, run.agent, run.due);
}

void write(SQLite::Database& db, const Store::Process& run) {
    const auto& [pid, start_ticks, boot_id, pid_namespace, session] = run.process;
    execute(db,
            "UPDATE runs SET pid = ?2, start_ticks = ?3, boot_id = ?4, pid_namespace = ?5, "
            "session = ?6 WHERE id = ?1",
            as_sql(run.id.value), pid, as_sql(start_ticks), boot_id, as_sql(pid_namespace),
            session);
}

void write(SQLite::Database& db, const RunFinished& run) {
    execute(db,
            "UPDATE runs SET ended_ms = ?2, outcome = ?3, exit_code = ?4, ran_ms = ?5, "
            "waited_ms = ?6, why = ?7, need = ?8, have = ?9, who = ?10 WHERE id = ?1",
            as_sql(run.id.value), run.ended.ms, text_of(to_string(run.outcome)), run.exit_code,
            run.ran.value, run.waited.value, text_of(to_string(run.why.reason)), run.why.need,
            run.why.have, run.why.who);
}

void write(SQLite::Database& db, const SkipRecord& skip) {
    const SkipFirings& firings = skip.firings;
    execute(db,
            "INSERT INTO skips (at_ms, agent, first_due_ms, due_ms, count, outcome, why, need, "
            "have, who) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
            skip.at.ms, firings.agent.value, firings.first.ms, firings.last.ms, firings.count,
            text_of(to_string(firings.outcome)), text_of(to_string(skip.why.reason)), skip.why.need,
            skip.why.have, skip.why.who);
    remember_due(db, firings.agent, firings.last);
}

void write(SQLite::Database& db, const EndedCall& call) {
    execute(db,
            "INSERT OR REPLACE INTO calls (id, run, agent, model, arrived_ms, ended_ms, waited_ms, "
            "ran_ms, "
            "prompt, cached, completion, outcome, why, need, have, who) "
            "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)",
            as_sql(call.id.value), as_sql(call.run.value), call.agent.value, call.model.value,
            call.arrived.ms, call.ended.ms, call.waited.value, call.ran.value, call.prompt.value,
            call.cached.value, call.completion.value, text_of(to_string(call.outcome)),
            text_of(to_string(call.why.reason)), call.why.need, call.why.have, call.why.who);
}

void write(SQLite::Database& db, const ModelRecord& event) {
    execute(db,
            "INSERT INTO model_events (at_ms, model, change, device_bytes, host_bytes, error) "
            "VALUES (?1,?2,?3,?4,?5,?6)",
            event.at.ms, event.model.value, text_of(to_string(event.change)), event.device.value,
            event.host.value, event.error);
}

void write(SQLite::Database& db, const ReasonRecord& reason) {
    execute(db,
            "INSERT INTO reasons (at_ms, action, run, call, agent, model, why, need, have, who) "
            "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
            reason.at.ms, reason.action, as_sql(reason.run.value), as_sql(reason.call.value),
            reason.agent.value, reason.model.value, text_of(to_string(reason.why.reason)),
            reason.why.need, reason.why.have, reason.why.who);
}

// The first id never used: from the tables, and for calls also from the reasons, which are written
// as soon as a call is routed.
uint64_t next_id(SQLite::Database& db, const char* sql) {
    return static_cast<uint64_t>(db.execAndGet(sql).getInt64()) + 1;
}

}  // namespace

Store::Store(Connection db) : db_(std::move(db)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() {
    if (db_)
        (void)flush();  // the last second of notes; when that fails there is nobody left to tell
}

Result<Store::Opened> Store::open(const std::string& path, Wall now) {
    return guarded(path, [&]() -> Result<Opened> {
        std::string notice;
        Connection db = connect_if_sound(path);
        if (!db) {
            HD_TRY(const std::string aside, set_aside(path, now));
            notice = fmt::format("history {} is damaged; it is kept as {} and a new one is begun",
                                 path, aside);
            db = connect(path);
        }
        HD_TRY_VOID(migrate(*db, path));
        return Opened{Store(std::move(db)), std::move(notice)};
    });
}

Result<Recovery> Store::recover() {
    return guarded(db_->getFilename(), [&]() -> Result<Recovery> {
        Recovery found;
        SQLite::Statement due(*db_, "SELECT name, last_due_ms FROM agents");
        while (due.executeStep())
            found.last_due[{due.getColumn(0).getString()}] = Wall{due.getColumn(1).getInt64()};
        found.next_run = {next_id(
            *db_, "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0)")};
        found.next_call = {next_id(
            *db_,
            "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'calls'), 0),"
            " coalesce((SELECT max(call) FROM reasons WHERE call <> 0), 0))")};
        SQLite::Statement runs(*db_,
                               fmt::format("{} WHERE outcome IS NULL ORDER BY id", kSelectRuns));
        while (runs.executeStep()) found.unfinished.push_back(run_row(runs));
        return found;
    });
}

void Store::note(EndedCall call) {
    keep(std::move(call));
}
void Store::note(ModelRecord change) {
    keep(std::move(change));
}
void Store::note(ReasonRecord reason) {
    keep(std::move(reason));
}

void Store::keep(Note note) {
    if (notes_.size() >= kNotesMax) {
        notes_.pop_front();
        ++notes_dropped_;
    }
    notes_.push_back(std::move(note));
}

Status Store::flush() {
    if (notes_.empty()) return {};
    const Status written = guarded(db_->getFilename(), [&]() -> Status {
        SQLite::Transaction transaction(*db_);
        for (const Note& note : notes_) std::visit([&](const auto& n) { write(*db_, n); }, note);
        transaction.commit();
        notes_.clear();
        return {};
    });
    refused_ = written ? std::nullopt : std::optional(written.error());
    return written;
}

// While the disk refuses, nobody but flush() tries again: each try writes all that is kept.
Status Store::record(Note note) {
    keep(std::move(note));
    if (refused_) return tl::unexpected(*refused_);
    const Status written = flush();
    if (!written && written.error().code == Code::kInvalid) {
        notes_.pop_back();  // or it would keep the others from being written
        refused_.reset();
    }
    return written;
}

Status Store::forget_before(Wall then) {
    return guarded(db_->getFilename(), [&]() -> Status {
        SQLite::Transaction transaction(*db_);
        execute(*db_, "DELETE FROM runs WHERE outcome IS NOT NULL AND ended_ms < ?1", then.ms);
        execute(*db_, "DELETE FROM skips WHERE at_ms < ?1", then.ms);
        execute(*db_, "DELETE FROM calls WHERE ended_ms < ?1", then.ms);
        execute(*db_, "DELETE FROM model_events WHERE at_ms < ?1", then.ms);
        execute(*db_, "DELETE FROM reasons WHERE at_ms < ?1", then.ms);
        execute(*db_, "DELETE FROM reasons WHERE id <= (SELECT max(id) FROM reasons) - ?1",
                kReasonRowsMax);
        transaction.commit();
        return {};
    });
}

}  // namespace hotdesk
