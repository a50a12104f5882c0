// SPDX-License-Identifier: MIT
#pragma once
// Notices that the wall clock was set back by more than kSetBackMax, by holding it against the
// monotonic one, which nobody sets: then the schedules have to begin anew.

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "core/limits.h"

namespace hotdesk {

class ClockWatch {
  public:
    // Asked between two cycles. Returns: by how much, once for each time; nothing else. Several
    // small steps add up.
    std::optional<Millis> set_back(Instant now, Wall wall) {
        const Millis ahead{wall.ms - now.ms};
        const Millis furthest = std::max(ahead, furthest_.value_or(ahead));
        const Millis back = furthest - ahead;
        furthest_ = back > kSetBackMax ? ahead : furthest;
        return back > kSetBackMax ? std::optional(back) : std::nullopt;
    }

  private:
    std::optional<Millis> furthest_;  // the wall clock ahead of the monotonic one, at most so far
};

}  // namespace hotdesk
