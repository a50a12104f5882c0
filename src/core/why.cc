// SPDX-License-Identifier: MIT
#include "core/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hotdesk {
namespace {

// The stable key of each reason and its sentence. {need} and {have} are printed in the unit given.
enum class Unit : uint8_t { kNone, kCount, kTime, kBytes };

struct Row {
    Reason reason;
    std::string_view key;
    Unit unit;
    std::string_view sentence;  // placeholders: {need} {have} {who}
};

constexpr Row kRows[] = {
    {Reason::kDue, "due", Unit::kNone, "the schedule says now"},
    {Reason::kAskedFor, "asked_for", Unit::kNone, "asked for by hand"},
    {Reason::kCatchUp, "catch_up", Unit::kTime,
     "due {have} ago while the daemon was down, inside its grace of {need}"},
    {Reason::kOverlap, "overlap", Unit::kCount, "the run before it (r-{have}) is not over"},
    {Reason::kSuperseded, "superseded", Unit::kNone, "a newer firing took its place"},
    {Reason::kPaused, "paused", Unit::kNone, "{who} is paused"},
    {Reason::kDraining, "draining", Unit::kNone, "the daemon is draining: it starts nothing new"},
    {Reason::kTooLate, "too_late", Unit::kTime, "due {have} ago, later than its grace of {need}"},
    {Reason::kCatchUpOff, "catch_up_off", Unit::kNone,
     "due while the daemon was down, and catch_up = \"skip\""},
    {Reason::kRunsFull, "runs_full", Unit::kCount,
     "{have} runs are alive, the most that runs_max allows"},
    {Reason::kRunTimeout, "run_timeout", Unit::kTime,
     "ran {have}, its timeout is {need}; waiting is not counted"},
    {Reason::kKillGraceOver, "kill_grace_over", Unit::kTime,
     "did not end within {need} of being asked"},
    {Reason::kExited, "exited", Unit::kCount, "the command ended with exit code {have}"},
    {Reason::kNotStarted, "not_started", Unit::kNone, "the command could not be started: {who}"},
    {Reason::kTaskRoute, "task_route", Unit::kNone, "first usable model of {who}"},
    {Reason::kNamed, "named", Unit::kNone, "the caller named {who}"},
    {Reason::kNoSuchModel, "model_not_found", Unit::kNone,
     "no model, alias or task is called \"{who}\""},
    {Reason::kModelUnusable, "model_unusable", Unit::kNone, "the model cannot be used: {who}"},
    {Reason::kHeadOfLine, "head_of_line", Unit::kTime,
     "oldest call in the line of its model, after {have}"},
    {Reason::kQueueFull, "queue_full", Unit::kCount,
     "{have} calls are waiting, the most that waiting_max allows"},
    {Reason::kWaitOver, "wait_timeout", Unit::kTime,
     "waited {have} for the desk, its limit is {need}; {who}"},
    {Reason::kCallMax, "call_max", Unit::kTime,
     "ran {have}, the longest that call_max allows is {need}"},
    {Reason::kAnswered, "answered", Unit::kNone, "answered"},
    {Reason::kClientGone, "client_gone", Unit::kNone, "the client hung up"},
    {Reason::kWorkerRefused, "worker_refused", Unit::kNone, "{who}"},
    {Reason::kWorkerDied, "worker_died", Unit::kCount,
     "its worker died ({who}); attempt {have} of {need}"},
    {Reason::kLoadFailed, "load_failed", Unit::kNone, "the model did not load: {who}"},
    {Reason::kLoadBackoff, "load_backoff", Unit::kTime,
     "the model did not load ({who}); next try in {need}"},
    {Reason::kDemand, "demand", Unit::kBytes, "a call waits for it; needs {need}, {have} are free"},
    {Reason::kCannotFit, "cannot_fit", Unit::kBytes,
     "{who} needs {need}, there are {have}: it can never fit; choose a smaller model, context "
     "or quantization"},
    {Reason::kMakeRoom, "make_room", Unit::kBytes,
     "idle, and {who} needs {need} of which {have} are free"},
    {Reason::kGateAge, "gate_age", Unit::kTime,
     "{who} has waited {have}, at {need} newer calls no longer go first"},
    {Reason::kGateOpen, "gate_open", Unit::kNone, "nobody of another model waits any more"},
    {Reason::kLoadStuck, "load_stuck", Unit::kTime, "loading for {have}, the limit is {need}"},
    {Reason::kForeignPressure, "foreign_pressure", Unit::kBytes,
     "needs {need}, {have} are free: other programs hold the rest"},
    {Reason::kIdle, "idle", Unit::kTime, "unused for {have}, keep is {need}"},
    {Reason::kEvictAsked, "evict_asked", Unit::kNone, "eviction asked for by hand"},
    {Reason::kStrangerWaits, "stranger_waits", Unit::kTime,
     "another program has waited {have} for the desk"},
    {Reason::kNoDemand, "no_demand", Unit::kNone, "nobody needs the desk"},
    {Reason::kPreload, "preload", Unit::kTime, "{who} starts within {need}"},
    {Reason::kReloaded, "reloaded", Unit::kNone, "the config changed it or no longer has it"},
    {Reason::kDaemonEnded, "daemon_ended", Unit::kNone, "the daemon ended while it ran"},
};

constexpr bool rows_are_in_order() {
    for (size_t i = 0; i < std::size(kRows); ++i)
        if (static_cast<size_t>(kRows[i].reason) != i) return false;
    return std::size(kRows) == static_cast<size_t>(Reason::kDaemonEnded) + 1;
}
static_assert(rows_are_in_order(), "kRows has one row for each Reason, in the enum's order");

const Row& row_of(Reason reason) {
    return kRows[static_cast<size_t>(reason)];
}

std::string print(Unit unit, int64_t n) {
    switch (unit) {
        case Unit::kNone:
        case Unit::kCount: return std::to_string(n);
        case Unit::kTime: return format_duration(Millis{n});
        case Unit::kBytes: return format_bytes(Bytes{n});
    }
    return {};
}

}  // namespace

std::string_view to_string(Reason reason) {
    return row_of(reason).key;
}

Reason reason_from(std::string_view key) {
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& r) { return r.key == key; });
    return row == std::end(kRows) ? Reason::kDue : row->reason;
}

std::string explain(const Why& why) {
    const Row& row = row_of(why.reason);
    return fmt::format(fmt::runtime(row.sentence), fmt::arg("need", print(row.unit, why.need)),
                       fmt::arg("have", print(row.unit, why.have)), fmt::arg("who", why.who));
}

}  // namespace hotdesk
