// SPDX-License-Identifier: MIT
#pragma once
// Decides again from a journal: folds the recorded events, looks through the recorded snapshots and
// compares what decide() wants now with what was wanted then. A difference means that the policy
// has changed, or that something outside State took part in a decision.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/world.h"
#include "loop/record.h"

namespace hotdesk {

// The first cycle that comes out differently.
struct ReplayDifference {
    int64_t cycle = 0;  // counted from 1, as the lines of the journal
    Instant at;
    std::vector<Decision> expected;  // as recorded
    std::vector<Decision> got;       // as decided now
};

// Fed one recorded cycle after the other. Owns the State that they lead to.
class Replayer {
  public:
    // Returns: the difference, when this cycle is decided differently now. Decisions are applied as
    // they were recorded, so that one difference does not make every later cycle differ.
    std::optional<ReplayDifference> feed(const RecordedCycle& cycle);

    // The same from a line of the journal. Errors: kInvalid names the line and what is wrong in it.
    Result<std::optional<ReplayDifference>> feed_line(std::string_view line);

    int64_t cycles() const { return cycles_; }
    const State& state() const { return state_; }

  private:
    State state_;
    int64_t cycles_ = 0;
};

}  // namespace hotdesk
