// SPDX-License-Identifier: MIT
#pragma once
// How a number that differs from case to case is spread, as a scenario writes it: one number, the
// two ends of an even spread, or the eleven quantiles of a measured one. Integers only, so that a
// seed means the same day on every machine.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/random.h"

namespace hotdesk::sim {

// Where the eleven values of a measured spread stand, in 1/1000 of the cases.
inline constexpr std::array<int64_t, 11> kQuantiles = {0,   10,  50,  100, 250, 500,
                                                       750, 900, 950, 990, 1000};

struct Spread {
    std::vector<int64_t> values;  // 1, 2 or kQuantiles.size(), never falling

    // Between two quantiles the cases are spread evenly.
    int64_t draw(Random& random) const;
    int64_t highest() const { return values.back(); }
};

}  // namespace hotdesk::sim
