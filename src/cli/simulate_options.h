// SPDX-License-Identifier: MIT
#pragma once
// What can be typed after `hotdesk simulate`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace CLI {
class App;
}

namespace hotdesk {

struct SimulateOptions {
    // What is simulated: one of these, or else a generated fleet.
    std::string file, trace, scenario;
    // Absent: the scenario's own, or a day of seed 1.
    std::optional<int64_t> days, hours, minutes;
    std::optional<uint64_t> seed;
    int agents = 50;  // of the generated fleet
    std::string faults;
    std::string policy, stagger;
    std::vector<std::string> knobs;
    bool compare = false;
    bool check = false;
    bool no_advice = false;
    bool is_json = false;

    bool is_generated() const { return file.empty() && trace.empty() && scenario.empty(); }
    // Nothing when the scenario or the recorded day says how long.
    std::optional<Millis> length() const;
};

// Declares them; `typed` must outlive the parsing.
void add_options(CLI::App& app, SimulateOptions& typed);

// The command that runs the same again, with every option that has a part in the outcome.
std::string replay_command(const SimulateOptions& typed);

}  // namespace hotdesk
