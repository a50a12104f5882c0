// SPDX-License-Identifier: MIT
#pragma once
// What decide() may want. An action is an intent; the executor carries it out and answers with
// events. Applying an action to State (core/apply.h) records that it is under way.

#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "core/why.h"

namespace hotdesk {

enum class Trigger : uint8_t { kSchedule, kCatchUp, kManual };

// How a firing or a run ended. Every firing ends in exactly one.
enum class Outcome : uint8_t { kDone, kFailed, kTimedOut, kSkipped, kMissed, kInterrupted };

std::string_view to_string(Outcome outcome);
std::string_view to_string(Trigger trigger);

// ---- the fleet ---------------------------------------------------------------------------------

struct StartRun {
    RunId run;
    AgentName agent;
    Wall due;                          // the firing it answers; for a manual run, when it was asked
    Trigger trigger = Trigger::kSchedule;
    friend bool operator==(const StartRun&, const StartRun&) = default;
};
// Ends the run's process group: SIGTERM first, then `hard` (SIGKILL).
struct StopRun {
    RunId run;
    bool hard = false;
    friend bool operator==(const StopRun&, const StopRun&) = default;
};
// `count` firings from `first` to `last` start no run. outcome is kSkipped or kMissed.
struct SkipFirings {
    AgentName agent;
    Wall first, last;
    int64_t count = 1;
    Outcome outcome = Outcome::kSkipped;
    friend bool operator==(const SkipFirings&, const SkipFirings&) = default;
};
// overlap = "queue" or "latest": the firing waits for the run before it.
struct HoldFiring {
    AgentName agent;
    Wall due;
    friend bool operator==(const HoldFiring&, const HoldFiring&) = default;
};

// ---- calls -------------------------------------------------------------------------------------

struct RouteCall {
    CallId call;
    ModelName model;
    friend bool operator==(const RouteCall&, const RouteCall&) = default;
};
struct StartCall {
    CallId call;
    ModelName model;
    friend bool operator==(const StartCall&, const StartCall&) = default;
};
// Ends a call with an error; if it runs, it is cancelled first.
struct RefuseCall {
    CallId call;
    Code code = Code::kInternal;
    friend bool operator==(const RefuseCall&, const RefuseCall&) = default;
};

// ---- the desk ----------------------------------------------------------------------------------

// No call newer than `through` is admitted on the desk before the next load.
struct CloseGate {
    CallId through;
    friend bool operator==(const CloseGate&, const CloseGate&) = default;
};
struct QueueForDesk {
    friend bool operator==(const QueueForDesk&, const QueueForDesk&) = default;
};
struct ReleaseDesk {
    friend bool operator==(const ReleaseDesk&, const ReleaseDesk&) = default;
};
struct LoadModel {
    ModelName model;
    friend bool operator==(const LoadModel&, const LoadModel&) = default;
};
// Asks the worker to end; `hard` kills it.
struct UnloadModel {
    ModelName model;
    bool hard = false;
    friend bool operator==(const UnloadModel&, const UnloadModel&) = default;
};

using Action = std::variant<StartRun, StopRun, SkipFirings, HoldFiring, RouteCall, StartCall,
                            RefuseCall, CloseGate, QueueForDesk, ReleaseDesk, LoadModel, UnloadModel>;

struct Decision {
    Action action;
    Why why;
    friend bool operator==(const Decision&, const Decision&) = default;
};

// What decide() answers. `wake_at` is when to decide again if no event comes first; it is never
// later than the first deadline in State, or the head of a queue could wait for ever.
struct Plan {
    std::vector<Decision> decisions;
    Instant wake_at;
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace hotdesk
