// SPDX-License-Identifier: MIT
#include "core/zone.h"

#include <algorithm>

namespace hotdesk {

Millis offset_at(const Zone& zone, Wall at) {
    auto later = std::upper_bound(zone.changes.begin(), zone.changes.end(), at,
                                  [](Wall t, const ZoneChange& c) { return t < c.from; });
    return later == zone.changes.begin() ? zone.base : std::prev(later)->offset;
}

}  // namespace hotdesk
