// SPDX-License-Identifier: MIT
#pragma once
// A day of work that is written down instead of drawn: which agent fires when, and how many tokens
// each call of the run reads and writes. Every policy is judged on the same work.
//
// The text is NDJSON. First line: {"seed","horizon_ms","shared_prefix_tokens","agents":[{"id",
// "model","period_ms","phase_ms","own_prefix_tokens"}]}. Then one firing a line: {"run","agent",
// "model","tick_ms","release_ms","due_ms","skip_at_ms","calls":[[new,decoded,gap_ms],...]}. A run
// is released a little after its tick, as cron is late; it is skipped when its first call has not
// started by skip_at_ms (absent or null: it never is), and late when it ends after due_ms. gap_ms
// is from the end of a call to the next one. Only models whose name begins with "heavy" use the
// desk.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "core/spec.h"
#include "sim/workload.h"

namespace hotdesk::sim {

struct RecordedCall {
    Tokens fresh, decoded;
    Millis gap;
};
struct RecordedRun {
    Millis released;  // all of the day, from its beginning
    Millis due;
    std::optional<Millis> skip_at;
    std::vector<RecordedCall> calls;
};
struct RecordedAgent {
    ModelName model;
    Millis period, phase;
    Tokens own_prefix;
};

struct RecordedDay {
    uint64_t seed = 0;
    Millis length;
    Tokens shared_prefix;
    std::map<AgentName, RecordedAgent> agents;                 // of the desk
    std::map<std::pair<AgentName, Millis>, RecordedRun> runs;  // by agent and tick
    int64_t elsewhere = 0;  // firings of agents that do not use the desk
};

// Errors: kInvalid with the line, what is wrong and what is expected.
Result<RecordedDay> read_day(std::string_view ndjson);

// Says what each run of the day does. Contexts outlive a swap and the end of a run: the shared
// prefix is read once by each model, an agent's own once, and everything else once.
class Player {
  public:
    // `start`: the wall time at which the day begins.
    Player(RecordedDay day, Wall start) : day_(std::move(day)), start_(start) {}

    // A firing that is not in the record (the day is over) makes no calls.
    RunShape run(const AgentSpec& agent, Wall due, Wall now);
    // When a run for that firing is late.
    Wall late_after(const AgentName& agent, Wall due) const;

  private:
    Tokens known_prefix(const AgentName& agent, const RecordedAgent& recorded);

    RecordedDay day_;
    Wall start_;
    std::set<ModelName> knows_shared_;
    std::set<AgentName> knows_own_;
};

// The machine of the recorded days: loads take 8, 12 and 9 s, the unload before them included.
Hardware recorded_hardware();

// The agents and models of the day, on a desk that has room for one of the heavy models. `start` is
// the wall time at which the day begins.
Fleet fleet_of(const RecordedDay& day, Wall start);

}  // namespace hotdesk::sim
