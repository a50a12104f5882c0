// SPDX-License-Identifier: MIT
#pragma once
// The simulated machine behind the four ports of the loop. The policy and the loop are the shipped
// ones; only time, memory, processes and other people are made up here, all from one seed.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/world.h"
#include "loop/ports.h"
#include "sim/agents.h"
#include "sim/checkers.h"
#include "sim/desk_queue.h"
#include "sim/machine.h"
#include "sim/recorded_day.h"
#include "sim/stage.h"
#include "sim/summary.h"
#include "sim/trace.h"
#include "sim/workers.h"

namespace hotdesk::sim {

struct Options {
    uint64_t seed = 1;
    Faults faults;
    Fleet fleet;  // see usual_day() for one
    Hardware hardware;
    std::shared_ptr<Player> work;       // null: each run's work is drawn
    std::map<AgentName, Habit> habits;  // measured; the work of other agents is assumed
    std::optional<Strangers> strangers;
    Wall start{1'772'409'600'000};  // Monday 2 March 2026, 00:00 UTC
    Millis length = hours(24);
    bool check = false;          // run the checkers; about ten times slower
    bool check_replay = true;    // replay_equals_record among them
    Checkers::OneMore one_more;  // a promise of a test
};

// Owns everything but the loop. Thread: one. The loop may be thrown away when daemon_died() and a
// new one made after boot(); what it then knows is what the history kept.
class World : public Clock, public Probe, public Executor, public Journal {
  public:
    explicit World(Options options);

    // The state of the loop that is alive, for the checkers.
    void watch(const State& state) { state_ = &state; }
    bool is_over() const { return stage_.time.now() >= end_; }
    bool daemon_died() const { return dead_; }
    // The daemon starts, for the first time or again: reads its history and its fleet file.
    void boot();

    Instant now() override { return stage_.time.now(); }
    std::vector<Event> wait(Alarm alarm) override;
    Snapshot look(Instant now) override;
    void run(const Decision& decision) override;
    void record(const Cycle& cycle) override;

    const Checkers& checkers() const { return checkers_; }
    Summary summary() &&;
    // Called with every cycle; for a journal on disk.
    std::function<void(const Cycle&)> on_cycle = [](const Cycle&) {};

  private:
    // What the history on disk would know after a crash.
    struct History {
        std::map<AgentName, Wall> last_due;
        RunId next_run{1};
        std::set<RunId> open;
    };
    void note_in_history(const Decision& decision);
    Truth truth() const;
    void check_rest(Alarm alarm);
    RunShape work_of(const AgentSpec& agent, Wall due);
    Wall late_after(const AgentSpec& agent, Wall due) const;
    void carry_out(const StartRun& action);
    void carry_out(const StopRun& action);
    void carry_out(const StartCall& action);
    void carry_out(const CloseCall& action);
    void carry_out(const QueueForDesk&) { desk_.queue_ours(); }
    void carry_out(const ReleaseDesk&) { desk_.release_ours(); }
    void carry_out(const LoadModel& action);
    void carry_out(const UnloadModel& action) { workers_.unload(action.model, action.hard); }
    template <class Recorded>
    void carry_out(const Recorded&) {}  // needs no effect: it is in State and in the history

    void plan_faults();
    void every(Millis least, Millis most, std::function<void()> strike);
    void send_strangers(const Strangers& strangers);
    void die();
    void change_fleet();
    void meddle();

    Options options_;
    Stage stage_;
    Machine machine_;
    Workers workers_;
    Agents agents_;
    DeskQueue desk_;
    Checkers checkers_;
    DayTally tally_;
    TraceHash trace_;
    History history_;
    Instant end_;
    const State* state_ = nullptr;
    Snapshot seen_;
    bool dead_ = false;
    int64_t deaths_ = 0;
    int actions_to_live_ = -1;  // < 0: for ever
};

// A generated fleet of so many agents, odd where the faults say so, on the usual hardware.
Options usual_day(uint64_t seed, int agents, const Faults& faults);

// A day that was written down, on the machine it was written down for, with its fleet.
Options recorded_day(const RecordedDay& day);

// The outcome of a whole simulation.
struct Simulation {
    Summary summary;
    std::vector<Broken> broken;
};
Simulation simulate(Options options);

// The command that runs a usual day again.
std::string command_for(uint64_t seed, int agents, Millis length, const Faults& faults);

}  // namespace hotdesk::sim
