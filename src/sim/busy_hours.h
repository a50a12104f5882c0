// SPDX-License-Identifier: MIT
#pragma once
// For how long something went on, by hour of the day: the desk serving, the desk loading.

#include <array>

#include "base/units.h"

namespace hotdesk::sim {

using HoursOfDay = std::array<Millis, 24>;

class BusyHours {
  public:
    // One more (+1) or less (-1) is going on. `local`: the time of day where the user lives.
    void change(int by, Instant now, Wall local);

    Millis total() const { return total_; }
    const HoursOfDay& by_hour() const { return by_hour_; }

  private:
    void add(Millis span, Wall until);

    int going_on_ = 0;
    Instant since_;  // valid when going_on_ > 0
    Millis total_;
    HoursOfDay by_hour_{};
};

}  // namespace hotdesk::sim
