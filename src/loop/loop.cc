// SPDX-License-Identifier: MIT
#include "loop/loop.h"

#include "base/check.h"
#include "core/limits.h"
#include "core/step.h"

namespace hotdesk {

void Loop::run_once() {
    std::vector<Event> events = ports_.clock.wait(alarm_);
    Instant now = ports_.clock.now();
    for (const Event& event : events) apply(state_, now, event);
    seen_ = ports_.probe.look(now);
    settle(events);
    ports_.journal.settled(state_, seen_);
}

void Loop::settle(std::span<const Event> events) {
    for (int round = 0; round < kRoundsMax; ++round) {
        Plan plan = decide(state_, seen_);
        alarm_ = plan.alarm;
        if (plan.decisions.empty() && events.empty()) return;
        for (const Decision& decision : plan.decisions)
            apply(state_, seen_.now, Intended{decision});
        ports_.journal.record({seen_, events, plan.decisions, plan.alarm});
        for (const Decision& decision : plan.decisions) ports_.executor.run(decision);
        if (plan.decisions.empty()) return;
        events = {};
    }
    HD_CHECK(!"the policy wants something new for ever");
}

}  // namespace hotdesk
