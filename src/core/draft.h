// SPDX-License-Identifier: MIT
#pragma once
// A plan being written: the deciders add what they want and when they want to look again.

#include <algorithm>
#include <utility>

#include "core/action.h"
#include "core/limits.h"
#include "core/world.h"

namespace hotdesk {

class Draft {
  public:
    explicit Draft(const Snapshot& seen)
        : now_(seen.now),
          wall_(seen.wall),
          plan_{{}, {seen.now + kSleepMax, seen.wall + kSleepMax * kWallSleepFactor}} {}

    void want(Action action, Why why) {
        plan_.decisions.push_back({std::move(action), std::move(why)});
    }
    size_t count() const { return plan_.decisions.size(); }
    bool wants(const Action& action) const {
        return std::any_of(plan_.decisions.begin(), plan_.decisions.end(),
                           [&](const Decision& d) { return d.action == action; });
    }
    // A time already past means: as soon as possible, but not without an event in between; the
    // decision that it calls for is in this plan.
    void look_again(Instant at) {
        if (at > now_) plan_.alarm.at = std::min(plan_.alarm.at, at);
    }
    void look_again(Wall at) {
        if (at > wall_) plan_.alarm.wall = std::min(plan_.alarm.wall, at);
    }
    Plan take() && { return std::move(plan_); }

  private:
    // A time-lapse lets wall time run up to this much faster than the monotonic clock.
    static constexpr int64_t kWallSleepFactor = 10'000;

    Instant now_;
    Wall wall_;
    Plan plan_;
};

}  // namespace hotdesk
