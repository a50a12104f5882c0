// SPDX-License-Identifier: MIT
#pragma once
// What to change in a fleet. Each proposal is simulated with the same seed, and only what made the
// day better is given, with the figures before and after.

#include <string>
#include <vector>

#include "sim/proposals.h"

namespace hotdesk::sim {

// What two days are compared by.
struct Figures {
    int64_t loads = 0;
    int64_t late = 0, missed = 0;  // firings: late, and not done for want of the desk
    Percentiles waits_ms;          // of calls
    friend bool operator==(const Figures&, const Figures&) = default;
};
Figures figures_of(const Summary& day);

// How much better `after` is, in 1/1000: what is gained in late and missed firings and in the wait
// that one call in twenty exceeds, together. Returns: 0 when one of them is worse, when the longest
// wait grew by a tenth, or when it is less than a tenth, or under a second and no firing.
int64_t gain_of(const Figures& before, const Figures& after);

struct Advice {
    std::string what;
    Figures before, after;
    int64_t gain;  // see gain_of
};

// Simulated days are bounded by count and by the turns of all of them together, so that a large
// fleet does not take minutes. A day that is longer than that is given no advice.
inline constexpr int kTriesMax = 16;
inline constexpr int64_t kTriedCyclesMax = 1'500'000;
inline constexpr size_t kAdviceMax = 5;

// Requires: `day` is what simulate(options) gave, and no faults. Returns: the best first.
std::vector<Advice> advise(const Options& options, const Summary& day);

}  // namespace hotdesk::sim
