// SPDX-License-Identifier: MIT
#include "daemon/clock_watch.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

constexpr Instant kStart{1'000'000};
constexpr Wall kNoon{1'796'126'400'000};

TEST(ClockWatch, TakesTimeThatPassesForNothingElse) {
    ClockWatch watch;
    EXPECT_EQ(watch.set_back(kStart, kNoon), std::nullopt);
    EXPECT_EQ(watch.set_back(kStart + hours(9), kNoon + hours(9)), std::nullopt);
    EXPECT_EQ(watch.set_back(kStart + hours(9), kNoon + hours(99)), std::nullopt);  // set forward
}

TEST(ClockWatch, TellsASetBackBeyondTheBoundOnce) {
    for (Millis beyond : {Millis{0}, Millis{1}}) {
        ClockWatch watch;
        watch.set_back(kStart, kNoon);
        const Millis back = kSetBackMax + beyond;
        const Instant now = kStart + minutes(5);
        const Wall wall = kNoon + minutes(5) - back;
        const auto expected = beyond == Millis{} ? std::nullopt : std::optional(back);
        EXPECT_EQ(watch.set_back(now, wall), expected);
        EXPECT_EQ(watch.set_back(now, wall), std::nullopt);
    }
}

TEST(ClockWatch, AddsSmallStepsUp) {
    ClockWatch watch;
    watch.set_back(kStart, kNoon);
    EXPECT_EQ(watch.set_back(kStart, kNoon - hours(2)), std::nullopt);
    EXPECT_EQ(watch.set_back(kStart, kNoon - hours(4)), hours(4));
    EXPECT_EQ(watch.set_back(kStart, kNoon - hours(6)), std::nullopt);
}

}  // namespace
}  // namespace hotdesk
