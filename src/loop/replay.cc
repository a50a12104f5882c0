// SPDX-License-Identifier: MIT
#include "loop/replay.h"

#include <fmt/format.h>

#include "core/step.h"

namespace hotdesk {
namespace {

// The first event of a daemon's life: what went before belongs to a process that is gone.
bool begins_a_life(const RecordedCycle& cycle) {
    return !cycle.events.empty() && std::holds_alternative<Recovered>(cycle.events.front());
}

}  // namespace

std::optional<ReplayDifference> Replayer::feed(const RecordedCycle& cycle) {
    ++cycles_;
    if (begins_a_life(cycle)) state_ = {};
    for (const Event& event : cycle.events) apply(state_, cycle.seen.now, event);
    auto got = decide(state_, cycle.seen).decisions;
    for (const Decision& decision : cycle.decisions)
        apply(state_, cycle.seen.now, Intended{decision});
    if (got == cycle.decisions) return std::nullopt;
    return ReplayDifference{cycles_, cycle.seen.now, cycle.decisions, std::move(got)};
}

Result<std::optional<ReplayDifference>> Replayer::feed_line(std::string_view line) {
    auto cycle = decode_cycle(line);
    if (!cycle)
        return fail(cycle.error().code,
                    fmt::format("line {}: {}", cycles_ + 1, cycle.error().message));
    return feed(*cycle);
}

}  // namespace hotdesk
