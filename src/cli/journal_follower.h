// SPDX-License-Identifier: MIT
#pragma once
// Follows a daemon's journal as it is written and keeps State as the daemon has it: events and
// decisions are applied, nothing is decided. What the demo shows is what was recorded.

#include <fstream>
#include <string>

#include "core/world.h"
#include "loop/tally.h"

namespace hotdesk {

class JournalFollower {
  public:
    explicit JournalFollower(std::string path) : path_(std::move(path)) {}

    // Reads what was written since the last time; half a line is kept for the next.
    // Errors: kInvalid for a line that is no cycle.
    Status advance();

    const State& state() const { return state_; }
    const Snapshot& seen() const { return seen_; }
    const Tally& tally() const { return tally_; }

  private:
    Status apply_line(std::string_view line);

    std::string path_;
    int64_t read_ = 0;
    std::string half_line_;
    State state_;
    Snapshot seen_;
    Tally tally_;
};

// The newest journal in a daemon's state directory, or "".
std::string newest_journal(const std::string& state_dir);

}  // namespace hotdesk
