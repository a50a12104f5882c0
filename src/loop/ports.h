// SPDX-License-Identifier: MIT
#pragma once
// The four things the loop cannot do itself. The daemon plugs in the real ones, the simulator the
// simulated ones; the loop and the policy are the same code.

#include <span>
#include <vector>

#include "base/units.h"
#include "core/action.h"
#include "core/event.h"
#include "core/world.h"

namespace hotdesk {

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Instant now() = 0;
    // Blocks until an event is there or the alarm goes off. Returns what is there, in the order of
    // arrival; at most kEventsPerCycle of them.
    virtual std::vector<Event> wait(Alarm alarm) = 0;
};

class Probe {
  public:
    virtual ~Probe() = default;
    // Measures the machine. Must not block: a slow sensor answers with its last value or unknown.
    virtual Snapshot look(Instant now) = 0;
};

class Executor {
  public:
    virtual ~Executor() = default;
    // Begins the action and returns; what comes of it arrives as events. Chooses nothing.
    virtual void run(const Decision& decision) = 0;
};

// What one turn of the loop saw and decided.
struct Cycle {
    Snapshot seen;
    std::span<const Event> events;
    std::span<const Decision> decisions;
    Alarm alarm;
};

class Journal {
  public:
    virtual ~Journal() = default;
    // Called before the decisions are carried out, so that a crash leaves the intent on record.
    virtual void record(const Cycle& cycle) = 0;
    // Called when a cycle is over and nothing is left to want: where a journal that grows too long
    // may begin a new file with a Checkpoint of `state`.
    virtual void settled(const State&, const Snapshot&) {}
};

}  // namespace hotdesk
