// SPDX-License-Identifier: MIT
#pragma once
// A workload and what goes wrong with it, composed by name in one small file (scenarios/*.toml):
// groups of agents with schedules and spreads of their work, or a generated fleet; the machine; the
// faults; the length and the seed. scenarios/README.md has the format.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/spec.h"
#include "sim/spread.h"
#include "sim/world.h"

namespace hotdesk::sim {

// A model of the desk, and how long it loads.
struct ScenarioModel {
    std::string name;
    Bytes device = mib(4800);
    Tokens context{24'000};  // of its running calls together, the shared prefix once
    int64_t slots = 4;
    Millis load;  // 0: by its size, see load_time()
};

// Agents alike: each draws its own period, moment and prefix, and each run its own calls.
struct AgentGroup {
    std::string name;  // the agents are name-00, name-01, ...
    std::string model;
    int64_t count = 1;
    std::vector<Millis> every{hours(1)};  // one of these is drawn for each agent
    // Its first firing: one of `at` is drawn, and agent i fires i * `apart` later. Of a hundred,
    // 100 - `round_percent` fire at some other minute of the hour, or of their shorter period.
    std::vector<Millis> at{Millis{}};
    Millis apart;
    int64_t round_percent = 100;
    Spread lag{{0}};             // ms from the tick to the start
    std::optional<Millis> due;   // after its start a run is late; absent: never
    std::optional<Millis> skip;  // after its start without an answer it is skipped; absent: never
    // After each call there is another one with this chance, up to `calls_max`.
    int64_t again_permille = 1000;
    int64_t calls_max = 1;
    Spread own_prefix{{0}};             // tokens
    Spread first{{200}}, fresh{{200}};  // tokens that the first call adds, and each later one
    Spread decoded{{100}};              // tokens
    Spread gap{{1000}};                 // ms from an answer to the next call
};

struct Scenario {
    std::string title;
    uint64_t seed = 1;
    Millis length = hours(24);
    Faults faults;
    std::optional<Strangers> strangers;
    Hardware hardware;
    Tokens shared_prefix;
    std::vector<ScenarioModel> models;
    std::vector<AgentGroup> groups;
    int64_t fleet_agents = 0;  // > 0: a generated fleet of so many instead of models and groups
};

// Reads a scenario; `file` is for the messages. Errors: kInvalid; a line for everything that is
// wrong, "file:line:col: key: what is possible", sorted by place.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file);

// The day of a scenario's groups, by its seed.
RecordedDay generate_day(const Scenario& scenario);

// What to simulate.
Options scenario_day(const Scenario& scenario);

}  // namespace hotdesk::sim
