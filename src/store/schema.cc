// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include <array>

#include "base/check.h"

namespace hotdesk {
namespace {

// Times are milliseconds since the Unix epoch. AUTOINCREMENT keeps the highest id ever given in
// sqlite_sequence, so that an id never returns after old rows were deleted.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE runs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    agent         TEXT    NOT NULL,
    trigger       TEXT    NOT NULL,             -- schedule | catch-up | manual
    due_ms        INTEGER NOT NULL,
    started_ms    INTEGER NOT NULL,
    ended_ms      INTEGER,
    outcome       TEXT,                         -- NULL while unfinished
    exit_code     INTEGER NOT NULL DEFAULT 0,
    ran_ms        INTEGER NOT NULL DEFAULT 0,
    waited_ms     INTEGER NOT NULL DEFAULT 0,
    why           TEXT    NOT NULL,
    need          INTEGER NOT NULL DEFAULT 0,
    have          INTEGER NOT NULL DEFAULT 0,
    who           TEXT    NOT NULL DEFAULT '',
    marker        TEXT    NOT NULL DEFAULT '',
    log_path      TEXT    NOT NULL DEFAULT '',
    pid           INTEGER NOT NULL DEFAULT 0,   -- 0: its process was never started
    start_ticks   INTEGER NOT NULL DEFAULT 0,
    boot_id       TEXT    NOT NULL DEFAULT '',
    pid_namespace INTEGER NOT NULL DEFAULT 0,
    session       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_agent ON runs (agent, id);
CREATE INDEX runs_unfinished ON runs (id) WHERE outcome IS NULL;

-- Firings that started no run, one row for each decision.
CREATE TABLE skips (
    id            INTEGER PRIMARY KEY,
    at_ms         INTEGER NOT NULL,
    agent         TEXT    NOT NULL,
    first_due_ms  INTEGER NOT NULL,
    due_ms        INTEGER NOT NULL,
    count         INTEGER NOT NULL,
    outcome       TEXT    NOT NULL,             -- skipped | missed
    why           TEXT    NOT NULL,
    need          INTEGER NOT NULL,
    have          INTEGER NOT NULL,
    who           TEXT    NOT NULL
) STRICT;
CREATE INDEX skips_by_agent ON skips (agent, at_ms);

-- The latest firing that has a run or an outcome; it outlives the rows above.
CREATE TABLE agents (
    name          TEXT    PRIMARY KEY,
    last_due_ms   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run           INTEGER NOT NULL,             -- 0: not from a run
    agent         TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    arrived_ms    INTEGER NOT NULL,
    ended_ms      INTEGER NOT NULL,
    waited_ms     INTEGER NOT NULL,
    ran_ms        INTEGER NOT NULL,
    prompt        INTEGER NOT NULL,             -- tokens
    cached        INTEGER NOT NULL,
    completion    INTEGER NOT NULL,
    outcome       TEXT    NOT NULL,
    why           TEXT    NOT NULL,
    need          INTEGER NOT NULL,
    have          INTEGER NOT NULL,
    who           TEXT    NOT NULL
) STRICT;
CREATE INDEX calls_by_run ON calls (run);

CREATE TABLE model_events (
    id            INTEGER PRIMARY KEY,
    at_ms         INTEGER NOT NULL,
    model         TEXT    NOT NULL,
    change        TEXT    NOT NULL,             -- loading | loaded | unloaded | failed | crashed
    device_bytes  INTEGER NOT NULL,
    host_bytes    INTEGER NOT NULL,
    error         TEXT    NOT NULL
) STRICT;
CREATE INDEX model_events_by_model ON model_events (model, id);

-- Why each decision was made. An id of 0 or an empty name has no part in it.
CREATE TABLE reasons (
    id            INTEGER PRIMARY KEY,
    at_ms         INTEGER NOT NULL,
    action        TEXT    NOT NULL,
    run           INTEGER NOT NULL,
    call          INTEGER NOT NULL,
    agent         TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    why           TEXT    NOT NULL,
    need          INTEGER NOT NULL,
    have          INTEGER NOT NULL,
    who           TEXT    NOT NULL
) STRICT;
CREATE INDEX reasons_by_run   ON reasons (run, id)   WHERE run <> 0;
CREATE INDEX reasons_by_call  ON reasons (call, id)  WHERE call <> 0;
CREATE INDEX reasons_by_agent ON reasons (agent, id) WHERE agent <> '';
CREATE INDEX reasons_by_model ON reasons (model, id) WHERE model <> '';
)sql";

constexpr std::array<std::string_view, kSchemaVersion> kMigrations = {kFirst};

}  // namespace

std::string_view migration(int from) {
    HD_CHECK(from >= 0 && from < kSchemaVersion);
    return kMigrations[static_cast<size_t>(from)];
}

}  // namespace hotdesk
