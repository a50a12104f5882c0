// SPDX-License-Identifier: MIT
#pragma once
// The history, written: runs, skipped firings, calls, model changes and the reasons of decisions,
// in one SQLite file in WAL mode. It is what makes a restart safe: a firing is on record before its
// process starts, so a daemon that was killed never runs it twice. Read through store/history.h.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "store/records.h"

namespace SQLite {
class Database;
}

namespace hotdesk {

// What is kept in memory until flush(). So much piles up only when the disk refuses it for an hour;
// then the oldest are dropped, and counted.
inline constexpr size_t kNotesMax = 20'000;

// Rows of `reasons` that are kept, about 30 MB. A day of fifty busy agents writes some 20,000.
inline constexpr int64_t kReasonRowsMax = 300'000;

// The one writer. Owns: its connection. Thread: the loop's.
// Errors of every Status: kNoSpace (a full disk; names the file, its size and what is free),
// kDenied, kBusy (locked for 2 s by another program), kInternal. None of them harms the file.
class Store {
  public:
    struct Opened;

    // Opens or makes the file; its folder must exist. A file that is not a sound database is set
    // aside as "<path>.corrupt-<time>" and a new one is begun; `notice` then says so.
    // Errors: kInvalid when a newer Hotdesk wrote it; as above.
    static Result<Opened> open(const std::string& path, Wall now);

    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // What was going on when the last writer ended.
    Result<Recovery> recover();

    // These are committed when they return, with all notes: they survive kill -9. (synchronous =
    // NORMAL: a power cut may still take the last moments, never the soundness of the file.)
    // What the disk refuses is kept like a note, and what comes behind it is kept untried, until a
    // flush() has written them. Errors: also kInvalid, for what contradicts the history; that is
    // not kept.
    Status begin_run(const RunBegun& run) { return record(run); }
    Status run_started(RunId id, const RunProcess& process) { return record(Process{id, process}); }
    Status end_run(const RunFinished& run) { return record(run); }
    Status skip_firings(const SkipRecord& skip) { return record(skip); }

    // These are kept in memory until flush(), which the loop calls a second after the first: fifty
    // agents make hundreds of them in a burst, and one transaction takes them all.
    void note(EndedCall call);
    void note(ModelRecord change);
    void note(ReasonRecord reason);
    bool has_notes() const { return !notes_.empty(); }
    bool is_refused() const { return refused_.has_value(); }  // the disk does not take them now
    Status flush();

    // Deletes what ended before `then`, and the oldest reasons beyond kReasonRowsMax. Unfinished
    // runs, last firings and used ids stay.
    Status forget_before(Wall then);

    int64_t notes_dropped() const { return notes_dropped_; }

    struct Process {
        RunId id;
        RunProcess process;
    };

  private:
    using Note = std::variant<RunBegun, Process, RunFinished, SkipRecord, EndedCall, ModelRecord,
                              ReasonRecord>;

    explicit Store(std::unique_ptr<SQLite::Database> db);
    void keep(Note note);
    Status record(Note note);

    std::unique_ptr<SQLite::Database> db_;
    std::deque<Note> notes_;        // in order
    std::optional<Error> refused_;  // the last flush was; what it said
    int64_t notes_dropped_ = 0;
};

// `notice` is empty, or a sentence for the user.
struct Store::Opened {
    Store store;
    std::string notice;
};

}  // namespace hotdesk
