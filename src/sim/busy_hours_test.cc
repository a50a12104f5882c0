// SPDX-License-Identifier: MIT
#include "sim/busy_hours.h"

#include <gtest/gtest.h>

namespace hotdesk::sim {
namespace {

TEST(BusyHours, SplitsAStretchAtTheFullHours) {
    BusyHours busy;
    Wall nine{hours(9).value};
    busy.change(+1, Instant{1000}, nine + minutes(50));
    busy.change(-1, Instant{1000} + minutes(80), nine + minutes(130));
    EXPECT_EQ(busy.total(), minutes(80));
    EXPECT_EQ(busy.by_hour()[9], minutes(10));
    EXPECT_EQ(busy.by_hour()[10], hours(1));
    EXPECT_EQ(busy.by_hour()[11], minutes(10));
}

TEST(BusyHours, CountsTwoAtOnceAsOne) {
    BusyHours busy;
    auto change = [&](int by, int64_t at) { busy.change(by, Instant{at}, Wall{at}); };
    change(+1, 0);
    change(+2, 1000);
    change(-2, 3000);
    change(-1, 4000);
    change(+1, 5000);
    change(-1, 5500);
    EXPECT_EQ(busy.total(), Millis{4500});
    EXPECT_EQ(busy.by_hour()[0], Millis{4500});
}

}  // namespace
}  // namespace hotdesk::sim
