// SPDX-License-Identifier: MIT
#pragma once
// From a simulated day that breaks a promise to the smallest one nearby that still does: shorter,
// with fewer agents, fewer faults and the usual knobs, so that a person can read what went wrong.

#include <functional>
#include <optional>
#include <string>

#include "sim/world.h"

namespace hotdesk::sim {

// A usual day, as one command line can say it.
struct Case {
    uint64_t seed = 1;
    int agents = 50;
    Millis length = hours(24);
    Faults faults;
    friend bool operator==(const Case&, const Case&) = default;
};
// "hotdesk simulate --seed 7 --agents 3 --minutes 12 --faults stranger --check"
std::string command_for(const Case& of);

// How long after the beginning of the case a promise breaks; nothing when all are kept.
using Breaks = std::function<std::optional<Millis>(const Case&)>;

// The usual Breaks: runs the case with every checker.
std::optional<Millis> breaks_a_promise(const Case& tried);

// Requires: `broken` breaks. Returns: a case that breaks too and that no single step (half of the
// agents, a quarter or one of them less, a fault less) makes smaller. Simulates each case that it
// tries, at most kShrinkTriesMax.
Case shrink(Case broken, const Breaks& breaks);

inline constexpr int kShrinkTriesMax = 200;

}  // namespace hotdesk::sim
