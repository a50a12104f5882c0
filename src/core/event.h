// SPDX-License-Identifier: MIT
#pragma once
// What happened: facts from the config, the clients, the workers, the runs and the operator.
// Events carry no opinion; apply() folds them into State and decide() draws the conclusions.

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "core/action.h"
#include "core/spec.h"
#include "core/world.h"

namespace hotdesk {

// ---- from the config and the history -----------------------------------------------------------

// The fleet file was read, at start or at a reload. `wall`: when.
struct Configured {
    Fleet fleet;
    Wall wall;
};
// What the history knows, once, before the first decision: the last firing that each agent has
// an outcome for, and the first free ids.
struct Recovered {
    std::map<AgentName, Wall> last_due;
    RunId next_run{1};
};

// ---- from the runs -----------------------------------------------------------------------------

struct RunStarted {
    RunId run;
    int64_t pid = 0;
};
struct RunEnded {
    RunId run;
    int exit_code = 0;  // the command's own, or 128 + n for signal n
    std::string error;  // why it could not be started, or ""
};

// ---- from the clients --------------------------------------------------------------------------

// A call came in. Ids grow in the order of arrival: they are the place in the line.
struct CallArrived {
    CallId call;
    RunId run;           // 0: not from a run of ours
    AgentName agent;     // "" when the caller has no name
    std::string wanted;  // "task:write", a model, an alias; "" = the agent's task
    Millis wait;         // longest wait for the desk
    Priority priority = Priority::kBatch;
    Tokens size;  // of its context at the end, estimated; 0 = not known
};
// Its first byte went to the client.
struct CallStreaming {
    CallId call;
};
// The client hung up.
struct CallGone {
    CallId call;
};

// ---- from the workers --------------------------------------------------------------------------

struct CallFinished {
    CallId call;
    Tokens prompt, cached, completion;
};
// The worker refused it; the client was told.
struct CallBroken {
    CallId call;
    Error error;
};
struct WorkerLoading {
    ModelName model;
    int permille = 0;
};
struct WorkerReady {
    ModelName model;
    Footprint held;
};
// The worker is gone and its memory with it. error.message is empty after a wanted unload.
struct WorkerGone {
    ModelName model;
    Error error;
    bool crashed = false;  // died of a signal, rather than saying why
};

// ---- from the desk -----------------------------------------------------------------------------

struct DeskGranted {};
// Who has the desk while we stand in line for it: "pid 4711 (render)".
struct DeskTaken {
    std::string by;
};
// Another program is behind us in the line, or no longer.
struct StrangerWaits {
    bool waits = true;
};

// ---- from the operator -------------------------------------------------------------------------

struct RunWanted {
    AgentName agent;
    Wall wall;
    RunId run;  // reserved for it, by which the asker finds it; 0: the first free one at its start
};
struct RunUnwanted {
    RunId run;
};
// No name means the whole fleet.
struct PauseWanted {
    AgentName agent;
    bool paused = true;
};
struct EvictWanted {
    ModelName model;
};
struct DrainWanted {};

// Where a journal that goes on from an older file begins: State as it was there.
struct Checkpoint {
    State state;
};

// An action is under way. The loop posts it for each decision before the executor runs it.
struct Intended {
    Decision decision;
};

using Event =
    std::variant<Configured, Recovered, RunStarted, RunEnded, CallArrived, CallStreaming, CallGone,
                 CallFinished, CallBroken, WorkerLoading, WorkerReady, WorkerGone, DeskGranted,
                 DeskTaken, StrangerWaits, RunWanted, RunUnwanted, PauseWanted, EvictWanted,
                 DrainWanted, Checkpoint, Intended>;

}  // namespace hotdesk
