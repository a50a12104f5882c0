// SPDX-License-Identifier: MIT
#pragma once
// What Prometheus reads at /metrics. Counters grow where the thing happens; gauges are copied from
// State when somebody looks, so that nothing is counted twice.

#include <map>
#include <memory>
#include <string>

#include "core/world.h"

namespace hotdesk {

// The part of State that is measured, copied on the loop's thread.
struct DeskGauges {
    std::map<ModelName, int> calls_waiting, loads;
    std::map<ModelName, Footprint> held;
    std::map<WorkerPhase, int> workers;
    int runs_alive = 0;
};
DeskGauges desk_gauges(const State& state);

// How a call ended, for the counters.
struct CallTally {
    ModelName model;  // empty when it never had one
    CallOutcome outcome = CallOutcome::kDone;
    Millis waited;  // from arrival to its start, or to its end without one
    Tokens prompt, cached, completion;
};

// Thread: any.
class Metrics {
  public:
    Metrics();
    ~Metrics();

    void call_ended(const CallTally& record);
    void run_ended(Outcome outcome);
    // Prometheus' text format.
    std::string text(const DeskGauges& gauges);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace hotdesk
