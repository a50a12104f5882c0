// SPDX-License-Identifier: MIT
#pragma once
// The promises that one turn of the loop keeps or breaks, whatever came before it.

#include "sim/promise.h"

namespace hotdesk::sim {

// Whoever has memory on the desk owns its lease: our workers are there only while it is ours, and
// it is never ours and a stranger's at once. A release comes after the last worker is gone.
Violation one_lease_owner(const Turn& turn);

// What is planned for all workers that exist or are being started stays inside the desk's budget
// and inside the RAM without its reserve, whatever a probe says.
Violation device_never_overcommitted(const Turn& turn);

// A call starts on the model that it was routed to, which is loaded, in a slot that is free and
// with room for its context beside those that run.
Violation call_has_a_slot(const Turn& turn);

// Of the calls of one model that wait, the oldest starts first; only an interactive call may
// overtake a batch call, and only while that has waited less than gate_age.
Violation model_line_is_fifo(const Turn& turn);

// No worker with a running call is asked to end.
Violation no_call_cut_by_swap(const Turn& turn);

// A worker is started where there is none.
Violation no_model_loaded_twice(const Turn& turn);

// A load on demand has somebody who waits for it: whoever hung up or was refused causes none.
Violation demand_load_has_a_waiter(const Turn& turn);

}  // namespace hotdesk::sim
