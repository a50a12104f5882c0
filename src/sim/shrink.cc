// SPDX-License-Identifier: MIT
#include "sim/shrink.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

// The same days up to the minute in which the promise breaks: what comes later changes nothing.
Case up_to(Case broken, Millis breaks_after) {
    broken.length = std::min(broken.length, minutes(breaks_after.value / minutes(1).value + 1));
    return broken;
}

// One step smaller each, the largest steps first.
std::vector<Case> smaller_cases(const Case& than) {
    std::vector<Case> cases;
    auto with = [&](int agents, const Faults& faults) {
        cases.push_back({than.seed, agents, than.length, faults});
    };
    if (!than.faults.empty()) with(than.agents, {});
    for (int agents : {than.agents / 2, than.agents - than.agents / 4, than.agents - 1})
        if (agents > 0 && agents < than.agents) with(agents, than.faults);
    for (int i = 0; i < kFaultCount; ++i) {
        Faults fewer = than.faults;
        fewer.remove(static_cast<Fault>(i));
        if (fewer != than.faults) with(than.agents, fewer);
    }
    return cases;
}

}  // namespace

std::string command_for(const Case& of) {
    return command_for(of.seed, of.agents, of.length, of.faults);
}

std::optional<Millis> breaks_a_promise(const Case& tried) {
    Options day = usual_day(tried.seed, tried.agents, tried.faults);
    day.length = tried.length;
    day.check = true;
    Simulation simulation = simulate(std::move(day));
    if (simulation.broken.empty()) return std::nullopt;
    return simulation.broken.front().at - kDawn;
}

Case shrink(Case broken, const Breaks& breaks) {
    const Millis whole = broken.length;
    int tries = 0;
    std::optional<Millis> after = breaks(broken);
    while (after) {
        broken = up_to(broken, *after);
        after.reset();
        for (Case& smaller : smaller_cases(broken)) {
            if (++tries > kShrinkTriesMax) break;
            smaller.length = std::min(whole, broken.length * 2);  // fewer agents take longer
            if (!(after = breaks(smaller))) continue;
            broken = smaller;
            break;
        }
    }
    return broken;
}

}  // namespace hotdesk::sim
