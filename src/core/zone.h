// SPDX-License-Identifier: MIT
#pragma once
// A time zone as a value: the offsets it had and will have. os/time_zone reads it from the system's
// database once; core only looks up. So a schedule in Berlin decides alike on every machine.

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace hotdesk {

// From `from` on (inclusive), local time is UTC plus `offset`.
struct ZoneChange {
    Wall from;
    Millis offset;

    friend bool operator==(const ZoneChange&, const ZoneChange&) = default;
};

// `changes` is sorted by `from`; before the first change, and when there is none, `base` holds.
struct Zone {
    std::string name = "UTC";
    Millis base;
    std::vector<ZoneChange> changes;

    friend bool operator==(const Zone&, const Zone&) = default;
};

// Returns: the offset from UTC at an instant.
Millis offset_at(const Zone& zone, Wall at);

}  // namespace hotdesk
