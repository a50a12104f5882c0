// SPDX-License-Identifier: MIT
#pragma once
// The nouns: runs, calls, workers and the desk, as they are now. State is the whole memory of the
// policy, work in flight included; one thread owns it. Snapshot is what was measured this moment.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "core/action.h"
#include "core/spec.h"

namespace hotdesk {

// ---- measured ----------------------------------------------------------------------------------

// Absent means unknown; it is never read as zero.
struct Snapshot {
    Instant now;
    Wall wall;
    std::optional<Bytes> device_total, device_free;
    std::optional<Bytes> host_total, host_available;
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

// ---- remembered --------------------------------------------------------------------------------

enum class RunPhase : uint8_t { kStarting, kRunning, kTerminating, kKilling, kEnded };

// One start of an agent's command.
struct Run {
    RunId id;
    AgentName agent;
    Wall due;
    Trigger trigger = Trigger::kSchedule;
    RunPhase phase = RunPhase::kStarting;
    Instant started;
    Instant phase_since;
    Millis timeout;  // of run time; zero = none
    Millis waited;   // time with a call in the queue, not counted as run time
    int calls_waiting = 0;
    Instant waiting_since;           // valid while calls_waiting > 0
    int calls_open = 0;              // waiting or running
    ModelName served_by;             // of its latest answer; with no call open it is in a tool call
    bool unwanted = false;           // somebody asked to stop it
    std::optional<Outcome> ends_as;  // decided before the process ended: kTimedOut, kInterrupted
    int exit_code = 0;               // valid when kEnded
    std::string error;               // why it could not be started, or ""
    friend bool operator==(const Run&, const Run&) = default;
};

enum class CallPhase : uint8_t {
    kArrived,  // not routed yet
    kWaiting,  // in the line of its model
    kRunning,  // in a slot of its worker
    kLost,     // its worker died and it may not be tried again; `error` says how
    kEnded,    // answered, broken or given up by the client: `outcome`
};

// One request of a client, from arrival to answer.
struct Call {
    CallId id;
    RunId run;
    AgentName agent;
    std::string wanted;
    Priority priority = Priority::kBatch;
    Tokens size;  // of its context at the end, estimated; 0 = not known
    ModelName model;
    CallPhase phase = CallPhase::kArrived;
    Instant arrived;
    Instant deadline;  // of waiting
    Instant started;   // valid when kRunning
    int attempts = 0;
    bool streaming = false;                    // bytes are out: it cannot be tried again
    Millis waited, ran;                        // before and after its (last) start
    CallOutcome outcome = CallOutcome::kDone;  // valid when kEnded
    Tokens prompt, cached, completion;         // valid when kEnded
    std::string error;
    friend bool operator==(const Call&, const Call&) = default;
};

enum class WorkerPhase : uint8_t { kAbsent, kLoading, kReady, kUnloading };

// The process that hosts a model, or the memory of the last one.
struct Worker {
    WorkerPhase phase = WorkerPhase::kAbsent;
    Instant since;       // of this phase
    Instant idle_since;  // valid when kReady with no running call
    ModelSpec spec;      // as it was loaded; a reload may have changed the fleet's
    Footprint held;      // what the ledger counts for it; zero when absent
    int permille = 0;    // load progress
    int loads = 0;
    Millis load_time;    // of the latest load that ended well; 0 = none has
    int answers = 0;     // since the daemon began; `answer_time` says little under five
    Millis answer_time;  // running mean of a call's time in a slot
    int failures = 0;    // loads in a row that did not end in kReady
    Instant retry_at;    // no load before this
    Error last_error;
    bool killing = false;  // unload became hard
    bool evict_wanted = false;
    friend bool operator==(const Worker&, const Worker&) = default;
};

// A start that somebody asked for.
struct Asked {
    RunId run;  // reserved for it, or 0
    Wall at;
    friend bool operator==(const Asked&, const Asked&) = default;
};

struct AgentState {
    std::optional<Wall> last_due;  // latest firing that has an outcome or a run
    std::optional<Wall> next_due;
    std::vector<Wall> held;    // firings that wait for the run before (overlap)
    std::vector<Asked> asked;  // manual starts not begun yet
    RunId run;                 // the one that is alive; 0 = none
    bool paused = false;
    ModelName home;  // of its latest call, or the first of its task; "" = not known
    int share = 0;   // of the stagger window, in 1/10,000; see start_of()
    friend bool operator==(const AgentState&, const AgentState&) = default;
};

enum class LeasePhase : uint8_t { kNone, kQueued, kHeld };

struct Desk {
    LeasePhase lease = LeasePhase::kNone;
    Instant since;                          // of the lease's phase
    std::string taken_by;                   // who has it while we are queued; "" = not known
    std::optional<Instant> stranger_since;  // another program has waited behind us since
    CallId gate;                            // 0 = open
    Instant gate_since;                     // valid when the gate is closed
    Wall preloaded_for;                     // the latest firing that a model was loaded ahead for
    Instant freed_at;                       // when a worker last gave memory back
    friend bool operator==(const Desk&, const Desk&) = default;
};

struct State {
    Fleet fleet;
    std::map<AgentName, AgentState> agents;
    std::set<AgentName> pending;               // agents with firings held or asked for
    std::set<std::pair<Wall, AgentName>> due;  // next_due + stagger of each agent, earliest first
    std::map<RunId, Run> runs;
    std::map<CallId, Call> calls;  // in the order of arrival
    std::map<ModelName, Worker> workers;
    Desk desk;
    RunId next_run{1};
    Instant last_catch_up;  // when an overdue run last began
    bool paused = false;
    bool draining = false;
    friend bool operator==(const State&, const State&) = default;
};

}  // namespace hotdesk
