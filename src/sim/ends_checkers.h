// SPDX-License-Identifier: MIT
#pragma once
// The promises about beginnings and ends: what began ends once, and nothing is left out, also when
// the daemon dies in between.

#include <map>
#include <set>
#include <utility>

#include "sim/promise.h"

namespace hotdesk::sim {

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
        std::optional<Wall> last;      // where the schedule goes on: a firing, or a reload
        std::optional<Wall> answered;  // latest firing that was answered or held
        std::set<Wall> held;
    };
    Violation see(const Event& event);
    Violation see(const Recovered& recovered);
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

}  // namespace hotdesk::sim
