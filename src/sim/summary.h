// SPDX-License-Identifier: MIT
#pragma once
// What a simulated day was like, in numbers, gathered from the decisions alone.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/world.h"
#include "loop/ports.h"
#include "loop/tally.h"

namespace hotdesk::sim {

struct Summary {
    int64_t firings = 0;  // on schedule, whatever became of them
    // Runs that ended later than the record says, or than a fifth of their period, at most 30 min.
    int64_t late = 0;
    std::map<Outcome, int64_t> runs;
    std::map<CallOutcome, int64_t> calls;
    int64_t retries = 0;  // calls that were started again after their worker had died
    int64_t loads = 0;
    Percentiles waits_ms;        // of calls that were answered
    Percentiles first_waits_ms;  // of the first of each run
    Percentiles run_times_ms;    // of runs that made a call: from the first one to the end
    int64_t skipped_overlap = 0, skipped_timeout = 0;  // firings; the first call waited too long
    Tokens prefilled;                                  // prompt tokens that were in no context
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
    // When a run of the agent for that firing is late.
    using Due = std::function<Wall(const AgentSpec& agent, Wall firing)>;
    explicit DayTally(Due due) : due_(std::move(due)) {}

    void add(const Cycle& cycle, const Fleet& fleet);
    // A run that the daemon left behind when it died.
    void interrupted(int64_t runs) { summary_.runs[Outcome::kInterrupted] += runs; }
    Summary finish() &&;

  private:
    struct Firing {
        AgentName agent;
        Wall due;
        std::optional<Wall> first_call;
        bool answered = false;
    };
    void see(const Event& event, Wall now);
    void end_call(const CloseCall& word);
    void close(const CloseRun& close, Wall now, const Fleet& fleet);

    Due due_;
    Summary summary_;
    std::vector<int64_t> first_waits_, run_times_;
    Tally counts_;
    std::map<RunId, Firing> open_;
    std::map<CallId, int> starts_;
};

}  // namespace hotdesk::sim
