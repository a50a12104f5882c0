// SPDX-License-Identifier: MIT
#pragma once
// Schedules changed a little, and written as a user would write them in the fleet file.

#include <optional>

#include "core/cron.h"

namespace hotdesk::sim {

// The same, `by` minutes later. Returns: nothing when a firing would leave its hour, or when the
// schedule has no minutes ("every 20m").
std::optional<Schedule> moved(const Schedule& schedule, int by);

// Firing half as often. Returns: nothing when it fires once a day or less, and for lists of days.
std::optional<Schedule> stretched(const Schedule& schedule);

}  // namespace hotdesk::sim
