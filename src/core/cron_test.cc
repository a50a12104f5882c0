// SPDX-License-Identifier: MIT
#include "core/cron.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace hotdesk {
namespace {

// "2026-03-29 01:00" in UTC.
Wall utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    using namespace std::chrono;
    const sys_days date =
        std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
    return {duration_cast<milliseconds>(date.time_since_epoch()).count() +
            (hour * 60 + minute) * int64_t{60'000}};
}

const Zone kUtc;

// Berlin around 2026: forward at 01:00Z on 29 March, back at 01:00Z on 25 October.
Zone berlin() {
    return {.name = "Europe/Berlin",
            .base = hours(1),
            .changes = {{utc(2025, 10, 26, 1), hours(1)},
                        {utc(2026, 3, 29, 1), hours(2)},
                        {utc(2026, 10, 25, 1), hours(1)}}};
}

// Half an hour of summer time: forward at 02:00 (15:30Z) on 4 October, back at 02:00 (15:00Z) on 5
// April.
Zone lord_howe() {
    return {
        .name = "Australia/Lord_Howe",
        .base = hours(11),
        .changes = {{utc(2026, 4, 4, 15), minutes(630)}, {utc(2026, 10, 3, 15, 30), hours(11)}}};
}

// Apia had no 30 December 2011: from UTC-10 to UTC+14 at the end of the 29th.
Zone apia() {
    return {.name = "Pacific/Apia",
            .base = hours(-10),
            .changes = {{utc(2011, 12, 30, 10), hours(14)}}};
}

Schedule parsed(std::string_view text) {
    auto schedule = parse_schedule(text);
    EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message);
    return schedule ? *schedule : Schedule{};
}

std::vector<Wall> firings(std::string_view text, const Zone& zone, Wall after, int count) {
    const Schedule schedule = parsed(text);
    std::vector<Wall> found;
    for (auto t = next_firing(schedule, zone, after); t && count > 0; --count) {
        found.push_back(*t);
        t = next_firing(schedule, zone, *t);
    }
    return found;
}

using Walls = std::vector<Wall>;

std::string refusal(std::string_view text) {
    auto schedule = parse_schedule(text);
    return schedule ? "accepted" : schedule.error().message;
}

// ---- reading -----------------------------------------------------------------------------------

TEST(ParseSchedule, ReadsTheFiveFields) {
    const Schedule expected{
        .kind = Schedule::Kind::kCron,
        .text = "*/15 8-20/2 1,15 jan-mar MON-Fri",
        .minutes = 1 | 1ull << 15 | 1ull << 30 | 1ull << 45,
        .hours = 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16 | 1 << 18 | 1 << 20,
        .days = 1 << 1 | 1 << 15,
        .months = 1 << 1 | 1 << 2 | 1 << 3,
        .weekdays = 0b0111110,
        .day_restricted = true,
        .weekday_restricted = true,
        .hour_is_wild = false,
        .every = {}};
    EXPECT_EQ(parsed("*/15 8-20/2 1,15 jan-mar MON-Fri"), expected);
}

TEST(ParseSchedule, KnowsTheWords) {
    auto same = [](std::string_view word, std::string_view fields) {
        Schedule a = parsed(word), b = parsed(fields);
        a.text = b.text = "";
        EXPECT_EQ(a, b) << word;
    };
    same("@hourly", "0 * * * *");
    same("@daily", "0 0 * * *");
    same("@midnight", "0 0 * * *");
    same("@weekly", "0 0 * * sun");
    same("@monthly", "0 0 1 * *");
    same("@Yearly", "0 0 1 jan *");
    same("@annually", "0 0 1 1 *");
}

TEST(ParseSchedule, TakesSevenForSunday) {
    EXPECT_EQ(parsed("0 0 * * 7").weekdays, 0b0000001);
    EXPECT_EQ(parsed("0 0 * * 5-7").weekdays, 0b1100001);
    EXPECT_EQ(parsed("0 0 * * sat-sun").weekdays, 0b1000001);
    EXPECT_EQ(parsed("0 0 * * 0-7").weekdays, 0b1111111);
    EXPECT_EQ(parsed("0 0 * * sun-0").weekdays, 0b0000001);
}

TEST(ParseSchedule, TakesAStepFromANumberToTheEnd) {
    EXPECT_EQ(parsed("50/5 * * * *").minutes, 1ull << 50 | 1ull << 55);
    EXPECT_EQ(parsed("* 20/2 * * *").hours, 1u << 20 | 1u << 22);
}

TEST(ParseSchedule, IsNeverWhenEmpty) {
    EXPECT_EQ(parsed(""), Schedule{});
    EXPECT_EQ(next_firing(parsed(""), kUtc, Wall{0}), std::nullopt);
}

TEST(ParseSchedule, ReadsEvery) {
    EXPECT_EQ(
        parsed("every 20m"),
        (Schedule{.kind = Schedule::Kind::kEvery, .text = "every 20m", .every = minutes(20)}));
    EXPECT_EQ(parsed("every 1h 30m").every, minutes(90));
    EXPECT_EQ(parsed("every 1s").every, seconds(1));
    EXPECT_EQ(parsed("every 366d").every, hours(24 * 366));
    EXPECT_EQ(refusal("every 999ms"), "schedule \"every 999ms\": every 999ms: takes 1s to 366d");
    EXPECT_EQ(refusal("every 367d"), "schedule \"every 367d\": every 367d: takes 1s to 366d");
    EXPECT_NE(refusal("every 20").find("is not a duration"), std::string::npos);
    EXPECT_NE(refusal("every").find("is not a duration"), std::string::npos);
}

TEST(ParseSchedule, NamesTheFieldAndWhatIsAllowedThere) {
    EXPECT_EQ(refusal("60 * * * *"), "schedule \"60 * * * *\": minute: \"60\" is not in 0-59");
    EXPECT_EQ(refusal("* 24 * * *"), "schedule \"* 24 * * *\": hour: \"24\" is not in 0-23");
    EXPECT_EQ(refusal("* * 0 * *"), "schedule \"* * 0 * *\": day of month: \"0\" is not in 1-31");
    EXPECT_EQ(refusal("* * * 13 *"),
              "schedule \"* * * 13 *\": month: \"13\" is not in 1-12 or jan-dec");
    EXPECT_EQ(refusal("* * * * 8"),
              "schedule \"* * * * 8\": day of week: \"8\" is not in 0-7 or sun-sat");
    EXPECT_EQ(refusal("* * * * ?"),
              "schedule \"* * * * ?\": day of week: \"?\" is not in 0-7 or sun-sat");
    EXPECT_EQ(refusal("*/0 * * * *"),
              "schedule \"*/0 * * * *\": minute: \"*/0\" needs a step from 1 to 59");
    EXPECT_EQ(refusal("*/60 * * * *"),
              "schedule \"*/60 * * * *\": minute: \"*/60\" needs a step from 1 to 59");
    EXPECT_EQ(
        refusal("0 0 * * fri-mon"),
        "schedule \"0 0 * * fri-mon\": day of week: \"fri-mon\" runs backwards: write two ranges, "
        "such as \"fri-sat,sun-mon\"");
}

TEST(ParseSchedule, RefusesWhatIsNotFiveFields) {
    EXPECT_EQ(refusal("* * * *"),
              "schedule \"* * * *\": has 4 fields: 5 are needed (minute hour "
              "day-of-month month day-of-week)");
    EXPECT_NE(refusal("0 * * * * *").find("has 6 fields"), std::string::npos);
    EXPECT_NE(refusal("@reboot").find("@reboot is not a time"), std::string::npos);
    EXPECT_NE(refusal("@often").find("\"@often\" is unknown"), std::string::npos);
    for (auto text :
         {",", "1,", ",1", "1-", "-1", "1-2-3", "1//2", "1/", "**", "5-*", "99999", "mon"})
        EXPECT_NE(refusal(std::string(text) + " * * * *"), "accepted") << text;
}

TEST(ParseSchedule, RefusesADayThatNeverComes) {
    EXPECT_EQ(refusal("0 0 30 2 *"),
              "schedule \"0 0 30 2 *\": never fires: no month has such a day");
    EXPECT_NE(refusal("0 0 31 2,4,6,9,11 *"), "accepted");
    EXPECT_EQ(refusal("0 0 29 2 *"), "accepted");
    EXPECT_EQ(refusal("0 0 31 2,5 *"), "accepted");
    EXPECT_EQ(refusal("0 0 30 2 mon"), "accepted");  // Mondays in February
}

// ---- the next firing, in UTC -------------------------------------------------------------------

TEST(NextFiring, IsStrictlyLater) {
    EXPECT_EQ(firings("*/15 * * * *", kUtc, utc(2026, 1, 1), 2),
              (Walls{utc(2026, 1, 1, 0, 15), utc(2026, 1, 1, 0, 30)}));
    EXPECT_EQ(firings("0 0 1 1 *", kUtc, {utc(2026, 1, 1).ms - 1}, 1), (Walls{utc(2026, 1, 1)}));
    EXPECT_EQ(firings("0 0 1 1 *", kUtc, utc(2026, 1, 1), 1), (Walls{utc(2027, 1, 1)}));
}

TEST(NextFiring, TakesEitherDayWhenBothAreRestricted) {
    // 1 July 2026 is a Wednesday; the Mondays are the 6th and the 13th.
    EXPECT_EQ(firings("0 12 10 * mon", kUtc, utc(2026, 7, 1), 3),
              (Walls{utc(2026, 7, 6, 12), utc(2026, 7, 10, 12), utc(2026, 7, 13, 12)}));
    EXPECT_EQ(firings("0 12 * * mon", kUtc, utc(2026, 7, 1), 2),
              (Walls{utc(2026, 7, 6, 12), utc(2026, 7, 13, 12)}));
    EXPECT_EQ(firings("0 12 10 * *", kUtc, utc(2026, 7, 1), 2),
              (Walls{utc(2026, 7, 10, 12), utc(2026, 8, 10, 12)}));
    // A field that begins with a star restricts nothing by that rule: odd days that are Mondays.
    EXPECT_EQ(firings("0 12 */2 * mon", kUtc, utc(2026, 7, 1), 2),
              (Walls{utc(2026, 7, 13, 12), utc(2026, 7, 27, 12)}));
}

TEST(NextFiring, WaitsForTheLeapDay) {
    EXPECT_EQ(firings("0 0 29 2 *", kUtc, utc(2024, 2, 29), 1), (Walls{utc(2028, 2, 29)}));
    // 2100 is no leap year: eight years are longer than the five that are searched.
    EXPECT_EQ(firings("0 0 29 2 *", kUtc, utc(2096, 2, 29), 1), Walls{});
}

TEST(NextFiring, SkipsTheMonthsThatAreTooShort) {
    EXPECT_EQ(firings("30 6 31 * *", kUtc, utc(2026, 1, 31, 6, 30), 2),
              (Walls{utc(2026, 3, 31, 6, 30), utc(2026, 5, 31, 6, 30)}));
}

TEST(NextFiring, WorksBeforeTheEpoch) {
    EXPECT_EQ(firings("59 23 31 12 *", kUtc, utc(1968, 6, 1), 1),
              (Walls{utc(1968, 12, 31, 23, 59)}));
    EXPECT_EQ(firings("every 20m", kUtc, Wall{-1}, 1), (Walls{Wall{0}}));
}

TEST(NextFiring, CountsEveryFromTheEpochInAnyZone) {
    EXPECT_EQ(firings("every 20m", berlin(), utc(2026, 3, 29, 0, 50), 2),
              (Walls{utc(2026, 3, 29, 1), utc(2026, 3, 29, 1, 20)}));
    EXPECT_EQ(firings("every 7h", kUtc, Wall{0}, 2),
              (Walls{Wall{hours(7).value}, Wall{hours(14).value}}));
}

// ---- clock changes -----------------------------------------------------------------------------

TEST(Cron, SkipsToTheEndOfTheHourThatDoesNotExist) {
    EXPECT_EQ(firings("30 2 * * *", berlin(), utc(2026, 3, 28), 3),
              (Walls{utc(2026, 3, 28, 1, 30), utc(2026, 3, 29, 1), utc(2026, 3, 30, 0, 30)}));
}

TEST(Cron, RunsOnceForAllTheFiringsInTheGap) {
    EXPECT_EQ(firings("*/20 2,3 * * *", berlin(), utc(2026, 3, 29), 4),
              (Walls{utc(2026, 3, 29, 1), utc(2026, 3, 29, 1, 20), utc(2026, 3, 29, 1, 40),
                     utc(2026, 3, 30, 0)}));
}

TEST(Cron, KnowsTheEdgesOfTheGap) {
    EXPECT_EQ(firings("59 1 * * *", berlin(), utc(2026, 3, 29), 1),
              (Walls{utc(2026, 3, 29, 0, 59)}));
    EXPECT_EQ(firings("0 2 * * *", berlin(), utc(2026, 3, 29), 1), (Walls{utc(2026, 3, 29, 1)}));
    EXPECT_EQ(firings("59 2 * * *", berlin(), utc(2026, 3, 29), 1), (Walls{utc(2026, 3, 29, 1)}));
    EXPECT_EQ(firings("0 3 * * *", berlin(), utc(2026, 3, 29), 1), (Walls{utc(2026, 3, 29, 1)}));
    EXPECT_EQ(firings("1 3 * * *", berlin(), utc(2026, 3, 29), 1), (Walls{utc(2026, 3, 29, 1, 1)}));
}

TEST(Cron, RunsOnceInTheHourThatComesTwice) {
    EXPECT_EQ(firings("30 2 * * *", berlin(), utc(2026, 10, 24, 12), 2),
              (Walls{utc(2026, 10, 25, 0, 30), utc(2026, 10, 26, 1, 30)}));
    // Asked in the middle of the second pass, the day's firing is over.
    EXPECT_EQ(firings("30 2 * * *", berlin(), utc(2026, 10, 25, 1, 10), 1),
              (Walls{utc(2026, 10, 26, 1, 30)}));
}

TEST(Cron, KnowsTheEdgesOfTheFold) {
    EXPECT_EQ(firings("0 2,3 * * *", berlin(), utc(2026, 10, 24, 12), 3),
              (Walls{utc(2026, 10, 25, 0), utc(2026, 10, 25, 2), utc(2026, 10, 26, 1)}));
    EXPECT_EQ(firings("59 2 * * *", berlin(), utc(2026, 10, 24, 12), 2),
              (Walls{utc(2026, 10, 25, 0, 59), utc(2026, 10, 26, 1, 59)}));
}

TEST(Cron, FollowsRealTimeWhenTheHourIsAStar) {
    EXPECT_EQ(firings("30 * * * *", berlin(), utc(2026, 3, 29), 3),
              (Walls{utc(2026, 3, 29, 0, 30), utc(2026, 3, 29, 1, 30), utc(2026, 3, 29, 2, 30)}));
    EXPECT_EQ(
        firings("30 * * * *", berlin(), utc(2026, 10, 25), 3),
        (Walls{utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 1, 30), utc(2026, 10, 25, 2, 30)}));
}

TEST(Cron, HandlesHalfAnHourOfSummerTime) {
    // Forward: 02:00-02:30 does not exist on 4 October.
    EXPECT_EQ(firings("15 2 * * *", lord_howe(), utc(2026, 10, 3, 12), 2),
              (Walls{utc(2026, 10, 3, 15, 30), utc(2026, 10, 4, 15, 15)}));
    EXPECT_EQ(firings("45 2 * * *", lord_howe(), utc(2026, 10, 3, 12), 1),
              (Walls{utc(2026, 10, 3, 15, 45)}));
    // Back: 01:30-02:00 comes twice on 5 April.
    EXPECT_EQ(firings("45 1 * * *", lord_howe(), utc(2026, 4, 4, 12), 2),
              (Walls{utc(2026, 4, 4, 14, 45), utc(2026, 4, 5, 15, 15)}));
    EXPECT_EQ(firings("*/15 * * * *", lord_howe(), utc(2026, 4, 4, 14, 40), 3),
              (Walls{utc(2026, 4, 4, 14, 45), utc(2026, 4, 4, 15), utc(2026, 4, 4, 15, 15)}));
}

TEST(Cron, LeavesOutTheDayThatTheZoneLeavesOut) {
    EXPECT_EQ(firings("0 9 * * *", apia(), utc(2011, 12, 29, 12), 2),
              (Walls{utc(2011, 12, 29, 19), utc(2011, 12, 30, 19)}));
    EXPECT_EQ(firings("0 * 30 12 *", apia(), utc(2011, 12, 29, 12), 1),
              (Walls{utc(2012, 12, 29, 10)}));
}

}  // namespace
}  // namespace hotdesk
