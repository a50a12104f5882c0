// SPDX-License-Identifier: MIT
#include "store/history_rows.h"

namespace hotdesk {
namespace {

// The value of an enum whose to_string() is `text`; `last` is the enum's last value. A word that a
// newer version wrote reads as `last`.
template <class Enum>
Enum enum_from(const std::string& text, Enum last) {
    for (int i = 0; i < static_cast<int>(last); ++i)
        if (to_string(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
    return last;
}

uint64_t unsigned_column(SQLite::Statement& row, int index) {
    return static_cast<uint64_t>(row.getColumn(index).getInt64());
}

RunProcess process_columns(SQLite::Statement& row, int first) {
    return {.pid = row.getColumn(first).getInt64(),
            .start_ticks = unsigned_column(row, first + 1),
            .boot_id = row.getColumn(first + 2).getString(),
            .pid_namespace = unsigned_column(row, first + 3),
            .session = row.getColumn(first + 4).getInt64()};
}

}  // namespace

Why why_columns(SQLite::Statement& row, int first) {
    return {.reason = reason_from(row.getColumn(first).getString()),
            .need = row.getColumn(first + 1).getInt64(),
            .have = row.getColumn(first + 2).getInt64(),
            .who = row.getColumn(first + 3).getString()};
}

RunRecord run_row(SQLite::Statement& row) {
    RunRecord run;
    run.id = {unsigned_column(row, 0)};
    run.agent = {row.getColumn(1).getString()};
    run.trigger = enum_from(row.getColumn(2).getString(), Trigger::kManual);
    run.first_due = {row.getColumn(3).getInt64()};
    run.due = {row.getColumn(4).getInt64()};
    run.count = row.getColumn(5).getInt64();
    run.started = {row.getColumn(6).getInt64()};
    if (!row.isColumnNull(7)) run.ended = Wall{row.getColumn(7).getInt64()};
    if (!row.isColumnNull(8))
        run.outcome = enum_from(row.getColumn(8).getString(), Outcome::kInterrupted);
    run.exit_code = row.getColumn(9).getInt();
    run.ran = {row.getColumn(10).getInt64()};
    run.waited = {row.getColumn(11).getInt64()};
    run.why = why_columns(row, 12);
    run.marker = row.getColumn(16).getString();
    run.log_path = row.getColumn(17).getString();
    run.process = process_columns(row, 18);
    run.calls = row.getColumn(23).getInt64();
    run.prompt = {row.getColumn(24).getInt64()};
    run.cached = {row.getColumn(25).getInt64()};
    run.completion = {row.getColumn(26).getInt64()};
    return run;
}

}  // namespace hotdesk
