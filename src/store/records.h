// SPDX-License-Identifier: MIT
#pragma once
// What the history remembers, as plain values: runs, calls, skipped firings, what became of the
// models, and the reason of each decision. All times are wall time: they outlive the process.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "core/action.h"
#include "core/why.h"

namespace hotdesk {

// Enough of a run's process to find it, and what it left behind, after the daemon was killed.
// The fields of an os/ ProcessIdentity, its session, and the marker in its environment.
struct RunProcess {
    int64_t pid = 0;
    uint64_t start_ticks = 0;
    std::string boot_id;
    uint64_t pid_namespace = 0;
    int64_t session = 0;
    friend bool operator==(const RunProcess&, const RunProcess&) = default;
};

// Written before the run's process is started.
struct RunBegun {
    RunId id;
    AgentName agent;
    Trigger trigger = Trigger::kSchedule;
    Wall due, started;
    std::string marker;  // HOTDESK_RUN's value: it names the run in its children's environment
    std::string log_path;
    Why why;
};

struct RunFinished {
    RunId id;
    Wall ended;
    Outcome outcome = Outcome::kDone;
    int exit_code = 0;
    Millis ran, waited;
    Why why;
};

// One run, or a group of firings that started none (then `id` is 0, `started` and `ended` are when
// that was decided, `due` is the latest of the `count` firings and `first_due` the earliest).
struct RunRecord {
    RunId id;
    AgentName agent;
    Trigger trigger = Trigger::kSchedule;
    Wall first_due, due;
    int64_t count = 1;
    Wall started;
    std::optional<Wall> ended;
    std::optional<Outcome> outcome;  // nothing while unfinished
    int exit_code = 0;
    Millis ran, waited;
    Why why;  // of the end, or of the start while unfinished
    std::string marker;
    std::string log_path;
    RunProcess process;  // pid 0 when it was never started
    int64_t calls = 0;
    Tokens prompt, cached, completion;
    friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

struct SkipRecord {
    Wall at;
    SkipFirings firings;
    Why why;
};

struct EndedCall {
    CallId id;
    RunId run;  // 0: not from a run of ours
    AgentName agent;
    ModelName model;
    Wall arrived, ended;
    Millis waited, ran;  // before and after its (last) start
    Tokens prompt, cached, completion;
    CallOutcome outcome = CallOutcome::kDone;
    Why why;
    friend bool operator==(const EndedCall&, const EndedCall&) = default;
};

enum class ModelChange : uint8_t { kLoading, kLoaded, kUnloaded, kFailed, kCrashed };

struct ModelRecord {
    Wall at;
    ModelName model;
    ModelChange change = ModelChange::kLoading;
    Bytes device, host;  // what it holds after a load
    std::string error;
    friend bool operator==(const ModelRecord&, const ModelRecord&) = default;
};

// Why something was decided. Ids that are 0 and names that are empty have no part in it.
struct ReasonRecord {
    Wall at;
    std::string action;  // "start_run", "load_model", ...
    RunId run;
    CallId call;
    AgentName agent;
    ModelName model;
    Why why;
    friend bool operator==(const ReasonRecord&, const ReasonRecord&) = default;
};

// What a daemon that starts must know of the one before it.
struct Recovery {
    std::map<AgentName, Wall> last_due;  // manual runs answer no firing and do not count
    RunId next_run{1};
    CallId next_call{1};
    std::vector<RunRecord> unfinished;  // by id
};

std::string_view to_string(ModelChange change);

// What `hotdesk why` will remember of a decision.
ReasonRecord reason_record(Wall at, const Decision& decision);

}  // namespace hotdesk
