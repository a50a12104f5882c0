// SPDX-License-Identifier: MIT
#include "sim/advice.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

constexpr int64_t kGainLeast = 100;  // of 1000: less is noise of the draw

int64_t share(int64_t before, int64_t after) {
    return (before - after) * 1000 / std::max<int64_t>(before, 1);
}

int64_t tries_for(const Summary& day) {
    return std::clamp<int64_t>(kTriedCyclesMax / std::max<int64_t>(day.cycles, 1), 0, kTriesMax);
}

}  // namespace

Figures figures_of(const Summary& day) {
    Figures figures{.loads = day.loads, .late = day.late, .waits_ms = day.waits_ms};
    for (const auto& [reason, count] : day.not_done)
        if (reason != Reason::kExited) figures.missed += count;  // its own fault, not the desk's
    return figures;
}

int64_t gain_of(const Figures& before, const Figures& after) {
    int64_t bad_before = before.late + before.missed, bad_after = after.late + after.missed;
    int64_t p95_before = before.waits_ms.p95, p95_after = after.waits_ms.p95;
    if (bad_after > bad_before || p95_after > p95_before) return 0;
    if (after.waits_ms.max > before.waits_ms.max + before.waits_ms.max / 10) return 0;
    if (bad_after == bad_before && p95_before - p95_after < seconds(1).value) return 0;
    int64_t gain = share(bad_before, bad_after) + share(p95_before, p95_after);
    return gain >= kGainLeast ? gain : 0;
}

std::vector<Advice> advise(const Options& options, const Summary& day) {
    std::vector<Advice> found;
    Figures before = figures_of(day);
    int64_t tries = tries_for(day);
    for (Proposal& proposal : propose(options, day)) {
        if (tries-- <= 0) break;
        Options changed = options;
        changed.fleet = std::move(proposal.fleet);
        Figures after = figures_of(simulate(std::move(changed)).summary);
        if (int64_t gain = gain_of(before, after); gain > 0)
            found.push_back({std::move(proposal.what), before, after, gain});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Advice& a, const Advice& b) { return a.gain > b.gain; });
    if (found.size() > kAdviceMax) found.resize(kAdviceMax);
    return found;
}

}  // namespace hotdesk::sim
