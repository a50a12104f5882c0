// SPDX-License-Identifier: MIT
#pragma once
// The simulated agents: processes that start, make their calls one after the other, hang up, ignore
// signals and end. They know the gateway (calls in, answers out) and nothing of the policy.

#include <functional>
#include <map>

#include "core/world.h"
#include "sim/stage.h"
#include "sim/workload.h"

namespace hotdesk::sim {

class Agents {
  public:
    // What one run does.
    using Work = std::function<RunShape(const AgentSpec& spec, Wall due)>;
    Agents(Stage& stage, Work work) : stage_(stage), work_(std::move(work)) {}

    void start(RunId run, const AgentSpec& spec, Wall due);
    void stop(RunId run, bool hard);
    // The client of a call has its answer, or was told why there is none.
    void answered(CallId call);
    void refused(CallId call, Code code);
    void kill_all();  // the daemon died, and its runs with it

    const CallShape* shape_of(CallId call) const;
    size_t alive() const { return runs_.size(); }

    // The gateway notices that a client is gone.
    std::function<void(CallId)> on_hangup = [](CallId) {};

  private:
    struct Run {
        AgentSpec spec;
        RunShape shape;
        size_t next_call = 0;
        CallId open;            // the call it waits for; 0 = none
        bool stubborn = false;  // ignores SIGTERM
        uint64_t life;
    };
    Run* find(RunId run, uint64_t life);
    void think(RunId id, const Run& run);
    void call(RunId id, Run& run);
    void end(RunId id, int exit_code);
    void maybe_hang_up(RunId id, const Run& run);

    Stage& stage_;
    Work work_;
    std::map<RunId, Run> runs_;
    std::map<CallId, RunId> open_;
    uint64_t next_call_ = 1;
    uint64_t next_life_ = 1;
};

}  // namespace hotdesk::sim
