// SPDX-License-Identifier: MIT
#include "daemon/flush_timer.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

constexpr Instant kStart{1'000'000};
constexpr Instant kNever{INT64_MAX};

TEST(FlushTimer, NeverWakesAnybodyWhileThereAreNoNotes) {
    FlushTimer timer;
    EXPECT_FALSE(timer.is_due(kStart, false));
    EXPECT_FALSE(timer.is_due(kStart + hours(1), false));
    EXPECT_EQ(timer.next(), kNever);
}

TEST(FlushTimer, IsDueASecondAfterTheFirstNote) {
    FlushTimer timer;
    EXPECT_FALSE(timer.is_due(kStart, true));
    EXPECT_EQ(timer.next(), kStart + kFlushAfter);
    EXPECT_FALSE(timer.is_due(kStart + kFlushAfter - Millis{1}, true));
    EXPECT_TRUE(timer.is_due(kStart + kFlushAfter, true));
    EXPECT_FALSE(timer.is_due(kStart + kFlushAfter, false));
    EXPECT_EQ(timer.next(), kNever);
}

TEST(FlushTimer, TriesAgainASecondAfterTheDiskRefused) {
    FlushTimer timer;
    EXPECT_FALSE(timer.is_due(kStart, true));
    const Instant refused = kStart + seconds(3);
    EXPECT_TRUE(timer.is_due(refused, true));
    EXPECT_FALSE(timer.is_due(refused + Millis{1}, true));
    EXPECT_TRUE(timer.is_due(refused + kFlushAfter, true));
}

TEST(FlushTimer, BeginsAnewWithNotesThatCameAfterOthersWereWrittenEarly) {
    FlushTimer timer;
    EXPECT_FALSE(timer.is_due(kStart, true));
    EXPECT_FALSE(timer.is_due(kStart + Millis{500}, false));
    EXPECT_FALSE(timer.is_due(kStart + Millis{1500}, true));
    EXPECT_EQ(timer.next(), kStart + Millis{1500} + kFlushAfter);
}

}  // namespace
}  // namespace hotdesk
