// SPDX-License-Identifier: MIT
#pragma once
// What must be true of every simulated day, one small checker for each promise. A checker sees each
// turn of the loop from outside, together with the truth about the simulated machine, which State
// may not know yet. It answers with what is wrong, or with nothing.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/world.h"
#include "loop/ports.h"
#include "loop/replay.h"

namespace hotdesk::sim {

// A process that hosts a model, as it really is.
struct TrueWorker {
    ModelSpec spec;
    int running = 0;
};
// The simulated machine before the decisions of this turn are carried out.
struct Truth {
    bool desk_is_ours = false;
    bool desk_is_strangers = false;
    std::map<ModelName, TrueWorker> workers;
    Bytes device_total;  // of the machine, whatever the probe says
    Bytes host_total;
};
// `state` has the decisions of the cycle folded in.
struct Turn {
    const Cycle& cycle;
    const State& state;
    const Truth& truth;
};

// A sentence with the numbers, or nothing when all is well.
using Violation = std::optional<std::string>;

// ---- checkers of a single turn -----------------------------------------------------------------

// Whoever has memory on the desk owns its lease: our workers are there only while it is ours, and
// it is never ours and a stranger's at once. A release comes after the last worker is gone.
Violation one_lease_owner(const Turn& turn);

// What is planned for all workers that exist or are being started stays inside the desk's budget
// and inside the RAM without its reserve, whatever a probe says.
Violation device_never_overcommitted(const Turn& turn);

// Of the calls of one model that wait, the oldest starts first; only an interactive call may
// overtake a batch call, and only while that has waited less than gate_age.
Violation model_line_is_fifo(const Turn& turn);

// No worker with a running call is asked to end.
Violation no_call_cut_by_swap(const Turn& turn);

// A worker is started where there is none.
Violation no_model_loaded_twice(const Turn& turn);

// ---- checkers of a settled state: nothing is left to want, the loop is about to sleep -----------

struct Rest {
    const State& state;
    const Snapshot& seen;
    Alarm alarm;
};

// A call waits only for something that ends by itself: a load, an unload, a full set of slots, a
// stranger's turn. A usable desk with nobody on it and calls in line is a lost wake-up.
Violation progress_or_idle(const Rest& rest);

// The alarm is never later than the first deadline of a call, a run, a worker or a schedule.
Violation alarm_before_first_deadline(const Rest& rest);

// Deciding again on a settled state wants nothing more and sets the same alarm.
Violation decide_is_idempotent(const Rest& rest);

// ---- checkers with a memory --------------------------------------------------------------------

// Tickets for the desk are served in the order in which they were drawn.
class LeaseIsFifo {
  public:
    Violation granted(uint64_t ticket);

  private:
    uint64_t last_ = 0;
};

// Every firing ends in exactly one of done, failed, timed-out, skipped, missed and interrupted, in
// the order of the schedule and with none left out; every run that was started is closed once.
class EveryRunEndsOnce {
  public:
    Violation see(const Turn& turn);
    // The daemon died: its open runs are interrupted, its held firings come again.
    void daemon_died();
    // Runs that were started and have no end yet.
    size_t open_runs() const { return open_.size(); }

  private:
    struct Agent {
        AgentSpec spec;
        std::optional<Wall> last;  // latest firing accounted for, in the order of the schedule
        std::set<Wall> held;
    };
    Violation see(const Event& event);
    Violation see(const StartRun& start);
    Violation see(const SkipFirings& skip);
    Violation see(const HoldFiring& hold);
    Violation see(const CloseRun& close);
    Violation account(const AgentName& name, Wall first, Wall last, int64_t count);
    void configure(const Configured& configured);

    std::map<AgentName, Agent> agents_;
    std::set<RunId> open_, started_;
    std::set<std::pair<AgentName, Wall>> ran_;  // (agent, firing) that has a run
};

// Every call that arrived is closed once, is not started after that, and starts at most twice.
class EveryCallEndsOnce {
  public:
    Violation see(const Turn& turn);
    void daemon_died() { open_.clear(); }

  private:
    std::map<CallId, int> open_;  // starts so far
};

// A cycle that is written, read back and decided again gives the same decisions.
class ReplayEqualsRecord {
  public:
    Violation see(const Turn& turn);

  private:
    Replayer replayer_;
};

// ---- all of them -------------------------------------------------------------------------------

struct Broken {
    std::string_view checker;
    Instant at;
    std::string what;
};

// Runs every checker and keeps what they find.
class Checkers {
  public:
    void see(const Turn& turn);
    void see(const Rest& rest);
    void granted(uint64_t ticket, Instant at);
    void daemon_died();

    const std::vector<Broken>& broken() const { return broken_; }

  private:
    void note(std::string_view checker, Instant at, Violation violation);

    LeaseIsFifo lease_is_fifo_;
    EveryRunEndsOnce every_run_ends_once_;
    EveryCallEndsOnce every_call_ends_once_;
    ReplayEqualsRecord replay_equals_record_;
    std::vector<Broken> broken_;
};

}  // namespace hotdesk::sim
