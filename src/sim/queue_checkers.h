// SPDX-License-Identifier: MIT
#pragma once
// The promises of the queue for the desk (core/scheduler.h): whose turn it is, and that it comes.

#include <map>
#include <set>

#include "sim/promise.h"

namespace hotdesk::sim {

// Tickets for the desk are served in the order in which they were drawn.
class LeaseIsFifo {
  public:
    Violation granted(uint64_t ticket);

  private:
    uint64_t last_ = 0;
};

// Once somebody whose model is not there has waited gate_age, the gate is closed, unless a model is
// on its way in or out of the desk.
Violation gate_closes_in_time(const Rest& rest);

// Behind a closed gate no newer call starts on the desk, and none at all after visit_max; the gate
// opens with the next load, or when nobody waits for another model.
class GateHolds {
  public:
    Violation see(const Turn& turn);
    void daemon_died() { gate_ = {}; }

  private:
    Violation set(const SetGate& gate, const Turn& turn);
    Violation start(const StartCall& start, const Turn& turn) const;

    CallId gate_;  // 0 = open
    Instant since_;
};

// A model that was loaded because somebody waited serves a call before it is unloaded; a model is
// loaded ahead once for a start, and only while nobody waits for another one.
class EveryLoadServes {
  public:
    Violation see(const Turn& turn);
    void daemon_died();

  private:
    Violation loaded(const LoadModel& load, const Why& why, const Turn& turn);
    Violation unloaded(const UnloadModel& unload, const Why& why, const Turn& turn);

    std::map<ModelName, std::set<CallId>> awaited_;  // loaded for these, and none has started
    std::optional<Wall> preloaded_for_;
};

// No call waits longer for the desk than the arithmetic of doc/scheduling.md allows, with the
// loads, the calls and the crowds that the day has had so far:
//
//   wait <= gate_age + load + visit + the sum over the models of visits x (load + visit)
//   visit  = min(visit_max + longest call, ceil(crowd / slots) x longest call)
//   visits = ceil(crowd / (slots x ceil(visit_max / longest call)))
//
// `load` is with the unload before it; `crowd` is the most calls that a model had outstanding at
// once; a model has as many slots as the largest context leaves it. Says nothing after the first
// event that voids the bound: a crash, a stranger, memory that is not there, an eviction by hand, a
// reload or a restart.
class WaitIsBounded {
  public:
    Violation see(const Turn& turn);
    void daemon_died() { is_void_ = true; }

  private:
    struct OfModel {
        Instant moving_since;
        Millis load, unload;  // longest
        int64_t crowd = 0;
        Tokens size;  // largest context
    };
    bool voids(const Turn& turn) const;
    bool voids(const Event& event) const;
    void time(const Turn& turn);
    void count(const Turn& turn);
    Millis visit(const OfModel& model, const ModelSpec& spec) const;
    Millis bound(const State& state) const;

    bool is_void_ = false;
    int configured_ = 0;
    std::map<ModelName, OfModel> models_;
    Millis longest_call_{1}, gate_age_;
};

}  // namespace hotdesk::sim
