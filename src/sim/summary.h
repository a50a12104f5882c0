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
#include "sim/busy_hours.h"

namespace hotdesk::sim {

// What one agent did and got.
struct AgentDay {
    int64_t firings = 0, late = 0;
    int64_t missed = 0;    // firings that did not end in kDone, whatever kept them
    int64_t answered = 0;  // runs that ended well and made a call
    int64_t calls = 0;     // answered
    Millis served;         // of its calls in a slot on the desk
    Millis waited;         // of its calls in line
    Millis wait_max;       // of one call
};
// What one model of the desk did.
struct ModelDay {
    int64_t loads = 0, calls = 0;
    Millis served, waited;
    Tokens context;  // of its calls at their end, summed
};

struct Summary {
    int64_t firings = 0;  // on schedule, whatever became of them
    // Runs that ended later than the record says, or than a fifth of their period, at most 30 min.
    int64_t late = 0;
    int64_t late_by_waiting = 0;  // of these: in time had they not waited in line
    std::map<Outcome, int64_t> runs;
    std::map<Reason, int64_t> not_done;  // why firings did not end in kDone
    std::map<CallOutcome, int64_t> calls;
    int64_t retries = 0;  // calls that were started again after their worker had died
    int64_t loads = 0;
    Percentiles waits_ms;        // of calls that were answered
    Percentiles first_waits_ms;  // of the first of each run
    Percentiles run_times_ms;    // of runs that made a call: from the first one to the end
    int64_t skipped_overlap = 0, skipped_timeout = 0;  // firings; the first call waited too long
    Tokens prefilled;                                  // prompt tokens that were in no context
    int64_t cycles = 0, decisions = 0;
    std::map<AgentName, AgentDay> agents;
    std::map<ModelName, ModelDay> models;  // of the desk
    // Set by the simulation:
    Millis length, desk_busy;
    Bytes device_peak;
    int64_t deaths = 0;               // of the daemon
    HoursOfDay serving{}, loading{};  // of the desk, by hour of the day
    HoursOfDay whole{};               // how much of each hour was simulated
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
    void see(const Decision& decision, Wall now, const Fleet& fleet);
    void begin(const StartRun& start);
    void skip(const SkipFirings& skip, Reason reason);
    void end_call(const CloseCall& word, const Fleet& fleet);
    void note_on_desk(const CloseCall& word);
    void close(const CloseRun& close, Reason reason, Wall now, const Fleet& fleet);
    void note_late(const CloseRun& close, const Firing& firing, Wall now, const Fleet& fleet);

    Due due_;
    Summary summary_;
    std::vector<int64_t> first_waits_, run_times_;
    Tally counts_;
    std::map<RunId, Firing> open_;
    std::map<CallId, int> starts_;
};

}  // namespace hotdesk::sim
