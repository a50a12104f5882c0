// SPDX-License-Identifier: MIT
#include "sim/busy_hours.h"

#include <algorithm>

namespace hotdesk::sim {

void BusyHours::change(int by, Instant now, Wall local) {
    if (going_on_ == 0) since_ = now;
    if (going_on_ > 0 && going_on_ + by == 0) add(now - since_, local);
    going_on_ += by;
}

void BusyHours::add(Millis span, Wall until) {
    const int64_t hour = hours(1).value;
    total_ += span;
    for (int64_t at = until.ms - span.value; at < until.ms;) {
        int64_t end = std::min(until.ms, (at / hour + 1) * hour);
        by_hour_[static_cast<size_t>(at / hour % 24)] += Millis{end - at};
        at = end;
    }
}

}  // namespace hotdesk::sim
