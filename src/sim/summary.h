// SPDX-License-Identifier: MIT
#pragma once
// What a simulated day was like, in numbers, gathered from the decisions alone.

#include <cstdint>
#include <map>

#include "core/world.h"
#include "loop/ports.h"
#include "loop/tally.h"

namespace hotdesk::sim {

struct Summary {
    int64_t firings = 0;  // on schedule, whatever became of them
    int64_t late = 0;     // runs done later than a fifth of their period (30 min at most)
    std::map<Outcome, int64_t> runs;
    std::map<CallOutcome, int64_t> calls;
    int64_t retries = 0;  // calls that were started again after their worker had died
    int64_t loads = 0;
    Percentiles waits_ms;  // of calls that were answered
    int64_t cycles = 0, decisions = 0;
    // Set by the simulation:
    Millis length, desk_busy;
    Bytes device_peak;
    int64_t deaths = 0;  // of the daemon
    uint64_t trace_hash = 0;
};

// Fed with every cycle: what a Tally counts, and what needs the fleet's schedules to count.
class DayTally {
  public:
    void add(const Cycle& cycle, const Fleet& fleet);
    // A run that the daemon left behind when it died.
    void interrupted(int64_t runs) { summary_.runs[Outcome::kInterrupted] += runs; }
    Summary finish() &&;

  private:
    struct Firing {
        AgentName agent;
        Wall due;
    };
    void close(const CloseRun& close, Wall now, const Fleet& fleet);

    Summary summary_;
    Tally counts_;
    std::map<RunId, Firing> open_;
    std::map<CallId, int> starts_;
};

}  // namespace hotdesk::sim
