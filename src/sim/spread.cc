// SPDX-License-Identifier: MIT
#include "sim/spread.h"

#include <cstddef>

#include "base/check.h"

namespace hotdesk::sim {

int64_t Spread::draw(Random& random) const {
    HD_CHECK(!values.empty());
    if (values.size() == 1) return values.front();
    if (values.size() == 2) return random.between(values.front(), values.back());
    HD_CHECK(values.size() == kQuantiles.size());
    // A case out of a million, so that the far ends are drawn finely too.
    constexpr int64_t kCases = 1'000'000, kEach = kCases / 1000;
    int64_t at = random.between(0, kCases);
    std::size_t above = 1;
    while (at > kQuantiles[above] * kEach) ++above;
    int64_t from = kQuantiles[above - 1] * kEach, width = kQuantiles[above] * kEach - from;
    return values[above - 1] + (values[above] - values[above - 1]) * (at - from) / width;
}

}  // namespace hotdesk::sim
