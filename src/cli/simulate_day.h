// SPDX-License-Identifier: MIT
#pragma once
// What a command line asks to simulate: the fleet file with what its history measured, a recorded
// day, a scenario, or a generated fleet.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/simulate_options.h"
#include "sim/world.h"

namespace hotdesk {

struct PlannedDay {
    sim::Options options;
    std::vector<std::string> measured;  // what was taken from the history, a line each
    std::vector<std::string> assumed;   // what was not known
    bool is_fleet = false;              // of schedules that can be changed
};

// Errors: of the file that is read; kInvalid for an option, by its name.
Result<PlannedDay> plan_day(const SimulateOptions& typed);

}  // namespace hotdesk
