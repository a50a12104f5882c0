// SPDX-License-Identifier: MIT
#pragma once
// The promises of a settled state, in which the loop falls asleep: somebody works or nobody waits,
// and the alarm wakes it in time.

#include "sim/promise.h"

namespace hotdesk::sim {

// A call waits only for something that ends by itself: a load, an unload, a full set of slots, a
// stranger's turn. A usable desk with nobody on it and calls in line is a lost wake-up. A model
// that is idle is kept for its own callers for hold or linger, and never once the other call has
// waited gate_age.
Violation progress_or_idle(const Rest& rest);

// The alarm is never later than the first deadline of a call, a run, a worker or a schedule.
Violation alarm_before_first_deadline(const Rest& rest);

// Deciding again on a settled state wants nothing more and sets the same alarm.
Violation decide_is_idempotent(const Rest& rest);

}  // namespace hotdesk::sim
