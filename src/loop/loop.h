// SPDX-License-Identifier: MIT
#pragma once
// One cycle, the same for the daemon and the simulator: wait, apply what happened, look at the
// machine, decide, write it down, carry it out; and decide again until nothing is left to want.

#include <cstdint>

#include "core/world.h"
#include "loop/ports.h"

namespace hotdesk {

struct Ports {
    Clock& clock;
    Probe& probe;
    Executor& executor;
    Journal& journal;
};

// Owns State. Thread: one; whoever calls run_once.
class Loop {
  public:
    explicit Loop(Ports ports) : ports_(ports) {}

    // Waits for events or the alarm of the last plan, then does one cycle.
    void run_once();

    const State& state() const { return state_; }
    const Snapshot& seen() const { return seen_; }

  private:
    void settle(std::span<const Event> events);

    Ports ports_;
    State state_;
    Snapshot seen_;
    Alarm alarm_;  // zero: at once
};

}  // namespace hotdesk
