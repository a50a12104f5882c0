// SPDX-License-Identifier: MIT
#include "core/zone.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

TEST(Zone, HasOneOffsetWithoutChanges) {
    EXPECT_EQ(offset_at(Zone{}, Wall{0}), Millis{0});
    EXPECT_EQ(offset_at({.name = "X", .base = hours(-3), .changes = {}}, Wall{1'000'000}),
              hours(-3));
}

TEST(Zone, ChangesAtTheInstantAndNotBefore) {
    const Zone zone{
        .name = "X", .base = hours(1), .changes = {{Wall{1000}, hours(2)}, {Wall{5000}, hours(1)}}};
    EXPECT_EQ(offset_at(zone, Wall{999}), hours(1));
    EXPECT_EQ(offset_at(zone, Wall{1000}), hours(2));
    EXPECT_EQ(offset_at(zone, Wall{4999}), hours(2));
    EXPECT_EQ(offset_at(zone, Wall{5000}), hours(1));
}

}  // namespace
}  // namespace hotdesk
