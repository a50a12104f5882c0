// SPDX-License-Identifier: MIT
#pragma once
// What must be true of every simulated day, one small checker for each promise, and all of them
// together: promises of a turn (turn_checkers.h), of rest (rest_checkers.h), of the queue for the
// desk (queue_checkers.h), of beginnings and ends (ends_checkers.h), and of the record.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/replay.h"
#include "sim/ends_checkers.h"
#include "sim/promise.h"
#include "sim/queue_checkers.h"

namespace hotdesk::sim {

// A cycle that is written, read back and decided again gives the same decisions.
class ReplayEqualsRecord {
  public:
    Violation see(const Turn& turn);

  private:
    Replayer replayer_;
};

struct Broken {
    std::string_view checker;
    Instant at;
    std::string what;
};

// Runs every checker and keeps what they find.
class Checkers {
  public:
    using OneMore = std::function<Violation(const Turn&)>;
    // `replays`: see ReplayEqualsRecord, the slowest of them. `one_more`: a promise of a test.
    explicit Checkers(bool replays = true, OneMore one_more = {})
        : replays_(replays), one_more_(std::move(one_more)) {}

    void see(const Turn& turn);
    void see(const Rest& rest);
    void granted(uint64_t ticket, Instant at);
    void daemon_died();

    const std::vector<Broken>& broken() const { return broken_; }

  private:
    void note(std::string_view checker, Instant at, Violation violation);

    bool replays_;
    OneMore one_more_;
    LeaseIsFifo lease_is_fifo_;
    GateHolds gate_holds_;
    EveryLoadServes every_load_serves_;
    WaitIsBounded wait_is_bounded_;
    EveryRunEndsOnce every_run_ends_once_;
    EveryCallEndsOnce every_call_ends_once_;
    ReplayEqualsRecord replay_equals_record_;
    std::vector<Broken> broken_;
};

}  // namespace hotdesk::sim
