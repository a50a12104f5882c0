// SPDX-License-Identifier: MIT
#pragma once
// How the other threads of the daemon reach the loop: they post events, and ask questions that the
// loop's thread answers between two cycles. Nobody else ever touches State.

#include <functional>

#include "core/event.h"
#include "core/world.h"

namespace hotdesk {

// Reads State on the loop's thread; must be quick and must not keep the references.
using Question = std::function<void(const State&, const Snapshot&)>;

class LoopPort {
  public:
    virtual ~LoopPort() = default;
    // Thread: any. Returns false when the queue is full (kEventsMax); the caller then refuses work.
    virtual bool post(Event event) = 0;
    // Thread: any. The question runs soon on the loop's thread; false when the queue is full.
    virtual bool ask(Question question) = 0;
    // Thread: the loop's, from a question: the event is applied before anything else is decided, so
    // that what the question saw of State still holds.
    virtual void post_next(Event event) = 0;
};

}  // namespace hotdesk
