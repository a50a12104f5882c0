// SPDX-License-Identifier: MIT
#include "sim/desk_queue.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

// From a change of the line to the event in the loop.
constexpr Millis kNewsDelay{5};

}  // namespace

void DeskQueue::queue_ours() {
    line_.push_back({next_++, true});
    serve_head();
}

void DeskQueue::release_ours() {
    told_ = false;
    // A ticket that still waits is given back as well; there is one at most.
    auto ours = std::find_if(line_.begin(), line_.end(), [](const Ticket& t) { return t.ours; });
    if (ours != line_.end()) leave(ours->number);
}

void DeskQueue::drop_ours() {
    ++life_;
    told_ = false;
    if (!line_.empty() && line_.front().ours) granted_ = false;
    std::erase_if(line_, [](const Ticket& ticket) { return ticket.ours; });
    serve_head();
}

void DeskQueue::queue_stranger(Millis hold, Millis patience) {
    Ticket ticket{next_++, false};
    line_.push_back(ticket);
    stage_.time.after(patience, [this, ticket] {
        bool has_desk = is_strangers() && line_.front().number == ticket.number;
        if (!has_desk) leave(ticket.number);
    });
    // `hold` counts from the grant; serve_head starts the clock.
    holds_.emplace(ticket.number, hold);
    serve_head();
    tell_about_strangers();
}

void DeskQueue::serve_head() {
    if (granted_ || line_.empty()) return;
    granted_ = true;
    Ticket head = line_.front();
    on_grant(head);
    if (head.ours) {
        stage_.time.after(kNewsDelay, [this, number = head.number] {
            // It may have been given back meanwhile.
            if (is_ours() && line_.front().number == number) stage_.post(DeskGranted{});
        });
        tell_about_strangers();
    } else {
        stage_.time.after(holds_.at(head.number), [this, head] { leave(head.number); });
    }
}

void DeskQueue::leave(uint64_t number) {
    auto it = std::find_if(line_.begin(), line_.end(),
                           [&](const Ticket& ticket) { return ticket.number == number; });
    if (it == line_.end()) return;
    if (it == line_.begin()) granted_ = false;
    line_.erase(it);
    holds_.erase(number);
    serve_head();
    tell_about_strangers();
}

// The news takes a moment, and the policy may have released the desk by then.
void DeskQueue::tell_about_strangers() {
    bool waits = is_ours() && line_.size() > 1;
    if (waits == told_) return;
    told_ = waits;
    stage_.time.after(kNewsDelay, [this, waits, life = life_] {
        if (life == life_) stage_.post(StrangerWaits{waits});
    });
}

}  // namespace hotdesk::sim
