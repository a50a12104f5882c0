// SPDX-License-Identifier: MIT
#pragma once
// The same fifty agents without Hotdesk: each loads its own model when it wakes, all at once. It
// shows what the desk is for; nothing is staged, the same worker and device are used.

#include <functional>

#include "base/result.h"
#include "cli/demo_fleet.h"

namespace hotdesk::demo {

struct NaiveResult {
    int runs_done = 0;
    int oom = 0;     // the device had no room: exit code 73
    int failed = 0;  // anything else
    Millis wall;
};

// `progress` is called a few times a second with what has ended so far.
Result<NaiveResult> run_naive(const Places& places,
                              const std::function<void(const NaiveResult&)>& progress);

}  // namespace hotdesk::demo
