// SPDX-License-Identifier: MIT
#include "daemon/inbox.h"

#include <algorithm>

#include "core/limits.h"

namespace hotdesk {

Inbox::Inbox(const WallClock& wall) : wall_(wall), queue_(kEventsMax) {}

std::vector<Event> Inbox::wait(Alarm alarm) {
    Instant until = std::min(alarm.at, now() + std::max(wall_.until(alarm.wall), Millis{}));
    until = std::min(until, std::exchange(wake_by_, Instant{INT64_MAX}));
    std::vector<Event> events = std::exchange(next_, {});
    if (!events.empty()) until = now();
    for (Letter& letter : queue_.wait(steady_at(until), kEventsPerCycle)) {
        if (auto* question = std::get_if<Question>(&letter))
            questions_.push_back(std::move(*question));
        else
            events.push_back(std::move(std::get<Event>(letter)));
    }
    return events;
}

void Inbox::answer(const State& state, const Snapshot& seen) {
    for (const Question& question : std::exchange(questions_, {})) question(state, seen);
}

}  // namespace hotdesk
