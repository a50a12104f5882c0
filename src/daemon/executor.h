// SPDX-License-Identifier: MIT
#pragma once
// Carries out what the loop decided, and records it: one short function for each action. It
// chooses nothing; what it cannot do it answers with the event that says so.

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "core/spec.h"
#include "daemon/desk_turn.h"
#include "daemon/gateway.h"
#include "daemon/model_workers.h"
#include "daemon/run_processes.h"
#include "loop/ports.h"
#include "os/clock.h"
#include "store/store.h"

namespace hotdesk {

// How an agent's process reaches us.
struct RunSettings {
    std::string base_url;  // "http://127.0.0.1:8111"
    std::string socket;    // of the daemon
    std::string logs_dir;
    std::string program;   // `hotdesk` itself, for agents with gpu = "run"
    std::string desk_dir;  // of the lease, when it is not the default
    Bytes log_bytes_max;
    int logs_kept = 20;                      // for each agent
    std::map<std::string, std::string> env;  // for every run, e.g. PYTHONPATH
};

struct ExecutorParts {
    LoopPort& loop;
    Gateway& gateway;
    ModelWorkers& workers;
    DeskTurn& desk;
    RunProcesses& runs;
    Store& store;
    const WallClock& wall;
};

// Thread: the loop's.
class DaemonExecutor : public Executor {
  public:
    DaemonExecutor(ExecutorParts parts, RunSettings settings)
        : parts_(parts), settings_(std::move(settings)) {}

    // The loop's own fleet, which the names in the actions mean. Requires: outlives this.
    void bind(const Fleet& fleet) { fleet_ = &fleet; }

    void run(const Decision& decision) override;

    // Starting a process takes milliseconds, and fifty may be due at once: run() only takes them
    // down, and the daemon starts a few between two cycles, so that calls and questions get their
    // turn. One that is not begun when the daemon is killed is on no record and due again.
    void start_some_runs();
    bool has_runs_to_start() const { return !to_start_.empty(); }

  private:
    void act(const StartRun& action, const Why& why);
    void act(const StopRun& action, const Why& why);
    void act(const CloseRun& action, const Why& why);
    void act(const SkipFirings& action, const Why& why);
    void act(const HoldFiring& action, const Why& why);
    void act(const RouteCall& action, const Why& why);
    void act(const StartCall& action, const Why& why);
    void act(const CloseCall& action, const Why& why);
    void act(const SetGate& action, const Why& why);
    void act(const QueueForDesk& action, const Why& why);
    void act(const ReleaseDesk& action, const Why& why);
    void act(const LoadModel& action, const Why& why);
    void act(const UnloadModel& action, const Why& why);

    void start(const StartRun& action, const Why& why);
    Status begin(const StartRun& action, const Why& why);
    std::string logs_of(const AgentName& agent) const;
    RunLaunch launch_of(const StartRun& action, const AgentSpec& agent,
                        const std::string& key) const;
    std::vector<std::string> command_of(const AgentSpec& agent) const;
    void warn_if_failed(const Status& status, std::string_view what) const;

    ExecutorParts parts_;
    RunSettings settings_;
    const Fleet* fleet_ = nullptr;
    std::map<RunId, std::string> keys_;
    std::deque<std::pair<StartRun, Why>> to_start_;
};

}  // namespace hotdesk
