// SPDX-License-Identifier: MIT
#pragma once
// The machine's two clocks, as values. Waits and time-outs are measured on the monotonic one, which
// stands still while the machine sleeps; schedules follow the wall clock, which may be set.

#include <chrono>

#include "base/units.h"

namespace hotdesk {

inline Instant monotonic_now() {
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

inline std::chrono::steady_clock::time_point steady_at(Instant at) {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(at.ms));
}

// The wall clock, or a time-lapse of it: from its making on, `rate` times as fast.
class WallClock {
  public:
    explicit WallClock(int rate = 1) : rate_(rate), started_(monotonic_now()), base_(real()) {}

    Wall now() const {
        if (rate_ == 1) return real();
        return base_ + (monotonic_now() - started_) * rate_;
    }
    // How long until `at`, in real time, rounded up.
    Millis until(Wall at) const { return {((at - now()).value + rate_ - 1) / rate_}; }

  private:
    static Wall real() {
        auto since = std::chrono::system_clock::now().time_since_epoch();
        return {std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
    }

    int rate_;
    Instant started_;
    Wall base_;
};

}  // namespace hotdesk
