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

enum class CallOutcome : uint8_t { kDone, kFailed, kRefused, kCancelled };

inline constexpr Outcome kOutcomes[] = {Outcome::kDone,    Outcome::kFailed, Outcome::kTimedOut,
                                        Outcome::kSkipped, Outcome::kMissed, Outcome::kInterrupted};
inline constexpr CallOutcome kCallOutcomes[] = {CallOutcome::kDone, CallOutcome::kFailed,
                                                CallOutcome::kRefused, CallOutcome::kCancelled};

std::string_view to_string(Outcome outcome);
std::string_view to_string(CallOutcome outcome);
std::string_view to_string(Trigger trigger);

// ---- the fleet ---------------------------------------------------------------------------------

struct StartRun {
    RunId run;
    AgentName agent;
    Wall due;  // the firing it answers; for a manual run, when it was asked
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
// The process has ended: how, for the record. The last word on a run.
struct CloseRun {
    RunId run;
    AgentName agent;
    Outcome outcome = Outcome::kDone;
    int exit_code = 0;
    Millis ran, waited;  // waited: with a call in the queue; not part of ran
    friend bool operator==(const CloseRun&, const CloseRun&) = default;
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
// The last word on a call. For kRefused the client is told `code` and the reason; a running call is
// cancelled first. The other outcomes only record what the client already has.
struct CloseCall {
    CallId call;
    CallOutcome outcome = CallOutcome::kDone;
    Code code = Code::kInternal;  // of kRefused
    RunId run;
    AgentName agent;
    ModelName model;  // empty when it was never routed
    Millis waited, ran;
    Tokens prompt, cached, completion;
    friend bool operator==(const CloseCall&, const CloseCall&) = default;
};

// ---- the desk ----------------------------------------------------------------------------------

// No call newer than `through` is admitted on the desk before the next load; 0 opens the gate.
struct SetGate {
    CallId through;
    friend bool operator==(const SetGate&, const SetGate&) = default;
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

using Action =
    std::variant<StartRun, StopRun, CloseRun, SkipFirings, HoldFiring, RouteCall, StartCall,
                 CloseCall, SetGate, QueueForDesk, ReleaseDesk, LoadModel, UnloadModel>;

struct Decision {
    Action action;
    Why why;
    friend bool operator==(const Decision&, const Decision&) = default;
};

// When to decide again if no event comes first: whichever clock gets there sooner. Schedules are in
// wall time, which may be set or jump; everything else is in monotonic time.
struct Alarm {
    Instant at;
    Wall wall;
    friend bool operator==(const Alarm&, const Alarm&) = default;
};

// What decide() answers. The alarm is never later than the first deadline in State, or the head of
// a queue could wait for ever.
struct Plan {
    std::vector<Decision> decisions;
    Alarm alarm;
    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace hotdesk
