// SPDX-License-Identifier: MIT
#include "sim/reschedule.h"

#include <gtest/gtest.h>

namespace hotdesk::sim {
namespace {

std::string moved_text(const char* schedule, int by) {
    auto later = moved(*parse_schedule(schedule), by);
    return later ? later->text : "none";
}

TEST(Reschedule, MovesAScheduleInsideItsHour) {
    EXPECT_EQ(moved_text("0 * * * *", 37), "37 * * * *");
    EXPECT_EQ(moved_text("@hourly", 5), "5 * * * *");
    EXPECT_EQ(moved_text("0 9 * * mon-fri", 12), "12 9 * * mon-fri");
    EXPECT_EQ(moved_text("*/15 8-20/4 1 * *", 7), "7-59/15 8-20/4 1 * *");
    EXPECT_EQ(moved_text("5,20,21 * * * *", 1), "6,21,22 * * * *");
}

TEST(Reschedule, LeavesAFiringInItsHour) {
    EXPECT_EQ(moved_text("*/15 * * * *", 14), "14-59/15 * * * *");
    EXPECT_EQ(moved_text("*/15 * * * *", 15), "none");
    EXPECT_EQ(moved_text("59 * * * *", 1), "none");
    EXPECT_EQ(moved_text("@weekly", 1), "none") << "its day has no text of its own";
    EXPECT_EQ(moved_text("every 20m", 1), "none");
}

std::string stretched_text(const char* schedule) {
    auto slower = stretched(*parse_schedule(schedule));
    return slower ? slower->text : "none";
}

TEST(Reschedule, FiresHalfAsOften) {
    EXPECT_EQ(stretched_text("*/5 * * * *"), "*/10 * * * *");
    EXPECT_EQ(stretched_text("3-59/5 9-17 * * *"), "3-59/10 9-17 * * *");
    EXPECT_EQ(stretched_text("0 * * * *"), "0 */2 * * *");
    EXPECT_EQ(stretched_text("every 20m"), "every 40m");
    EXPECT_EQ(stretched_text("every 45s"), "every 90s");
    EXPECT_EQ(stretched_text("0 9 * * *"), "none");
}

}  // namespace
}  // namespace hotdesk::sim
