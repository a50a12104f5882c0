// SPDX-License-Identifier: MIT
#include "os/time_zone.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>

namespace hotdesk {
namespace {

// 2026-03-29 01:00Z and 2026-10-25 01:00Z.
constexpr Wall kSpring{1774746000'000}, kAutumn{1792890000'000};

ZoneSource source_with(std::string tz, std::string localtime = "/nonexistent") {
    return {
        .directory = "/usr/share/zoneinfo", .localtime = std::move(localtime), .tz = std::move(tz)};
}

Zone loaded(std::string_view name) {
    auto zone = load_zone(name, source_with(""));
    EXPECT_TRUE(zone) << (zone ? "" : zone.error().message);
    return zone ? *zone : Zone{};
}

TEST(TimeZone, KnowsBerlinsClockChanges) {
    const Zone zone = loaded("Europe/Berlin");
    EXPECT_EQ(zone.name, "Europe/Berlin");
    EXPECT_EQ(offset_at(zone, kSpring - Millis{1}), hours(1));
    EXPECT_EQ(offset_at(zone, kSpring), hours(2));
    EXPECT_EQ(offset_at(zone, kAutumn - Millis{1}), hours(2));
    EXPECT_EQ(offset_at(zone, kAutumn), hours(1));
}

TEST(TimeZone, FollowsTheRuleTo2100) {
    const Zone zone = loaded("Europe/Berlin");
    EXPECT_EQ(offset_at(zone, Wall{4086925200'000}), hours(2));  // 2099-07-05
    EXPECT_EQ(offset_at(zone, Wall{4102444800'000}), hours(1));  // 2100-01-01
}

TEST(TimeZone, HasNoChangesInUtc) {
    EXPECT_EQ(loaded("UTC"), (Zone{.name = "UTC", .base = Millis{0}, .changes = {}}));
}

TEST(TimeZone, AgreesWithTheCLibraryEveryFiveDays) {
    for (auto name :
         {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
          "Africa/Casablanca", "Asia/Kathmandu", "America/Sao_Paulo", "Europe/Dublin"}) {
        const Zone zone = loaded(name);
        setenv("TZ", name, 1);
        tzset();
        for (time_t t = 7; t < 2'500'000'000; t += 5 * 86'400) {
            tm local{};
            localtime_r(&t, &local);
            ASSERT_EQ(offset_at(zone, Wall{t * 1000}), seconds(local.tm_gmtoff))
                << name << " at " << t;
        }
    }
    unsetenv("TZ");
    tzset();
}

TEST(TimeZone, NamesTheNearestKnownZone) {
    EXPECT_EQ(load_zone("Europe/Berlni", source_with("")).error(),
              (Error{Code::kNotFound,
                     "time zone Europe/Berlni is unknown: did you mean Europe/Berlin?"}));
    EXPECT_EQ(load_zone("Moon/Tycho", source_with("")).error(),
              (Error{Code::kNotFound,
                     "time zone Moon/Tycho is unknown (names are in /usr/share/zoneinfo)"}));
}

TEST(TimeZone, RefusesAPath) {
    for (auto name :
         {"../../etc/passwd", "/etc/localtime", "Europe/../UTC", "", "Europe/", "a b", "x\n"})
        EXPECT_EQ(load_zone(name, source_with("")).error().code, Code::kInvalid) << name;
}

TEST(TimeZone, RefusesWhatIsNotAZoneFile) {
    EXPECT_EQ(load_zone("zone1970", source_with("")).error().code,
              Code::kNotFound);  // a directory's text
    EXPECT_EQ(load_zone("leapseconds", source_with("")).error(),
              (Error{Code::kInvalid, "time zone leapseconds: not a TZif file (no header)"}));
}

TEST(TimeZone, TakesLocalFromTheVariable) {
    EXPECT_EQ(*load_zone("local", source_with("Asia/Tokyo")), loaded("Asia/Tokyo"));
    EXPECT_EQ(*load_zone("local", source_with(":/usr/share/zoneinfo/Asia/Tokyo")),
              loaded("Asia/Tokyo"));
    EXPECT_EQ(load_zone("local", source_with("JST-9"))->base, hours(9));
    EXPECT_EQ(load_zone("local", source_with("no rule")).error().code, Code::kInvalid);
}

TEST(TimeZone, TakesLocalFromTheLink) {
    const auto link = std::filesystem::temp_directory_path() / "hotdesk-localtime-test";
    std::filesystem::remove(link);
    std::filesystem::create_symlink("../usr/share/zoneinfo/America/Lima", link);
    EXPECT_EQ(*load_zone("local", source_with("", link)), loaded("America/Lima"));
    std::filesystem::remove(link);
}

TEST(TimeZone, IsUtcWhenNothingSaysOtherwise) {
    EXPECT_EQ(*load_zone("local", source_with("")), Zone{});
}

TEST(TimeZone, RefusesAFileCutAnywhere) {
    std::ifstream in("/usr/share/zoneinfo/Europe/Berlin", std::ios::binary);
    const std::string data((std::istreambuf_iterator<char>(in)), {});
    ASSERT_TRUE(parse_tzif("x", data));
    for (size_t n = 0; n < data.size(); ++n)
        ASSERT_FALSE(parse_tzif("x", std::string_view(data).substr(0, n))) << n;
}

TEST(TimeZone, RefusesCountsThatPassTheEnd) {
    std::string data = "TZif2" + std::string(15, '\0') + std::string(24, '\xff');
    EXPECT_EQ(parse_tzif("x", data).error().message, "time zone x: not a TZif file (truncated)");
}

TEST(PosixZone, ReadsEveryKindOfRule) {
    EXPECT_EQ(offset_at(*parse_posix_zone("x", "CET-1CEST,M3.5.0,M10.5.0/3"), kSpring), hours(2));
    EXPECT_EQ(parse_posix_zone("x", "<+0330>-3:30")->base, minutes(210));
    EXPECT_EQ(parse_posix_zone("x", "EST5")->base, hours(-5));
    // J60 is 1 March in leap years too; 59 is 29 February then.
    const Wall march_1_2024{1709251200'000};
    EXPECT_EQ(offset_at(*parse_posix_zone("x", "AAA0BBB,J60/0,J300"), march_1_2024), hours(1));
    EXPECT_EQ(offset_at(*parse_posix_zone("x", "AAA0BBB,J60/0,J300"), march_1_2024 - Millis{1}),
              hours(0));
    EXPECT_EQ(offset_at(*parse_posix_zone("x", "AAA0BBB,59/24,300"), march_1_2024), hours(1));
    EXPECT_EQ(offset_at(*parse_posix_zone("x", "AAA0BBB,59/24,300"), march_1_2024 - Millis{1}),
              hours(0));
}

TEST(PosixZone, RefusesWhatIsNoRule) {
    for (auto rule :
         {"", "UTC", "CE-1", "CET-1CEST", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-25",
          "<+03-3", "CET-1CEST,M3.5.0,M10.5.0x", "CET-1CEST,M3.6.0,M10.5.0"})
        EXPECT_FALSE(parse_posix_zone("x", rule)) << rule;
}

}  // namespace
}  // namespace hotdesk
