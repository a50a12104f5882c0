// SPDX-License-Identifier: MIT
#pragma once
// Rows of the history, read into records. Shared by store.cc and history.cc; throws as SQLiteCpp
// does.

#include "store/records.h"
#include "store/sqlite.h"

namespace hotdesk {

// Selects what run_row() reads; a WHERE goes behind it.
inline constexpr const char* kSelectRuns =
    "SELECT id, agent, trigger, due_ms, due_ms, 1, started_ms, ended_ms, outcome, exit_code, "
    "ran_ms, waited_ms, "
    "why, need, have, who, marker, log_path, pid, start_ticks, boot_id, pid_namespace, session, "
    "(SELECT count(*) FROM calls WHERE calls.run = runs.id), "
    "(SELECT coalesce(sum(prompt), 0) FROM calls WHERE calls.run = runs.id), "
    "(SELECT coalesce(sum(cached), 0) FROM calls WHERE calls.run = runs.id), "
    "(SELECT coalesce(sum(completion), 0) FROM calls WHERE calls.run = runs.id) FROM runs";

// The same columns of a group of firings that started no run.
inline constexpr const char* kSelectSkips =
    "SELECT 0, agent, 'schedule', first_due_ms, due_ms, count, at_ms, at_ms, outcome, 0, 0, 0, "
    "why, need, have, who, '', '', 0, 0, '', 0, 0, 0, 0, 0, 0 FROM skips";

RunRecord run_row(SQLite::Statement& row);

// Reads reason key, need, have and who from four columns that start at `first`.
Why why_columns(SQLite::Statement& row, int first);

}  // namespace hotdesk
