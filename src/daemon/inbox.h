// SPDX-License-Identifier: MIT
#pragma once
// The loop's clock and its letter box: wait() sleeps until another thread posts an event, asks a
// question, or the plan's alarm goes off on either clock.

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/loop_port.h"
#include "loop/ports.h"
#include "os/clock.h"
#include "os/event_queue.h"

namespace hotdesk {

// Thread: post and ask any; the rest the loop's.
class Inbox : public Clock, public LoopPort {
  public:
    explicit Inbox(const WallClock& wall);

    bool post(Event event) override { return queue_.push(std::move(event)); }
    bool ask(Question question) override { return queue_.push(std::move(question)); }
    void post_next(Event event) override { next_.push_back(std::move(event)); }

    Instant now() override { return monotonic_now(); }
    std::vector<Event> wait(Alarm alarm) override;

    // The next wait() ends by then, whatever the plan's alarm is.
    void wake_by(Instant at) { wake_by_ = at; }

    // Answers what was asked since the last time.
    void answer(const State& state, const Snapshot& seen);

  private:
    using Letter = std::variant<Event, Question>;

    const WallClock& wall_;
    EventQueue<Letter> queue_;
    std::vector<Question> questions_;
    std::vector<Event> next_;  // at most one for each of the questions of a cycle
    Instant wake_by_{INT64_MAX};
};

}  // namespace hotdesk
