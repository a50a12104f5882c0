// SPDX-License-Identifier: MIT
#pragma once
// What a simulated day was like, for people and as JSON.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/simulate_day.h"
#include "cli/simulate_policy.h"
#include "sim/advice.h"

namespace hotdesk {

struct SimulatedDay {
    NamedPolicy policy;
    sim::Simulation day;
    int64_t wall_ms = 0;
};

// What is known of one day beside its figures.
struct DayNotes {
    std::vector<std::string> measured, assumed;
    std::vector<sim::Advice> advice;
    std::string why_no_advice;  // "" when it was asked for
};

void print_day(const SimulatedDay& simulated, const DayNotes& notes);
nlohmann::json day_json(const SimulatedDay& simulated, const DayNotes& notes);

// Several policies side by side.
void print_compared(const std::vector<SimulatedDay>& days, const DayNotes& notes);
nlohmann::json compared_json(const std::vector<SimulatedDay>& days, const DayNotes& notes);

// The agents that took most of the desk, the heaviest first.
std::vector<std::pair<AgentName, sim::AgentDay>> heaviest_agents(const sim::Summary& day);

// Of the runs that ended well.
double late_percent(const sim::Summary& day);

}  // namespace hotdesk
