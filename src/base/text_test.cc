// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace hotdesk {
namespace {

int64_t bytes(std::string_view text) {
    auto parsed = parse_bytes(text);
    return parsed ? parsed->value : -1;
}
int64_t millis(std::string_view text) {
    auto parsed = parse_duration(text);
    return parsed ? parsed->value : -1;
}

TEST(ParseBytes, ReadsDecimalAndBinaryUnits) {
    EXPECT_EQ(bytes("4096"), 4096);
    EXPECT_EQ(bytes("512B"), 512);
    EXPECT_EQ(bytes("1kB"), 1000);
    EXPECT_EQ(bytes("1KiB"), 1024);
    EXPECT_EQ(bytes("1.5GB"), 1'500'000'000);
    EXPECT_EQ(bytes("6GiB"), int64_t{6} << 30);
    EXPECT_EQ(bytes(" 80 MiB "), 80 << 20);
    EXPECT_EQ(bytes("0"), 0);
}

TEST(ParseBytes, RefusesWhatIsNotASize) {
    for (auto text : {"", "GiB", "-1GiB", "1.", "1.5", "1.GiB", ".5GiB", "1gib", "6G", "6 GiB x",
                      "1e3", "0x10"})
        EXPECT_EQ(bytes(text), -1) << text;
}

TEST(ParseBytes, StopsAtTwoToThe62) {
    EXPECT_EQ(bytes("4611686018427387903"), (int64_t{1} << 62) - 1);
    EXPECT_EQ(bytes("4611686018427387904"), int64_t{1} << 62);
    EXPECT_EQ(bytes("4611686018427387905"), -1);
    EXPECT_EQ(bytes("4194304TiB"), int64_t{1} << 62);
    EXPECT_EQ(bytes("4194305TiB"), -1);
    EXPECT_EQ(bytes("99999999999999999999"), -1);
}

TEST(ParseBytes, DropsPartsOfAByte) {
    EXPECT_EQ(bytes("1.0009kB"), 1000);
    EXPECT_EQ(bytes("1.001kB"), 1001);
    EXPECT_EQ(bytes("0.99999999999TiB"), 1'099'511'626'676);
}

TEST(ParseBytes, NamesTheTextAndTheUnits) {
    const auto parsed = parse_bytes("6 gigs");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error(), (Error{Code::kInvalid,
                                     "\"6 gigs\" is not a size: write a number and a unit, such as "
                                     "\"512MiB\" (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), up to "
                                     "4194304 TiB"}));
}

TEST(ParseDuration, AddsItsParts) {
    EXPECT_EQ(millis("0"), 0);
    EXPECT_EQ(millis("0s"), 0);
    EXPECT_EQ(millis("250ms"), 250);
    EXPECT_EQ(millis("30s"), 30'000);
    EXPECT_EQ(millis("8m"), 480'000);
    EXPECT_EQ(millis("1h30m"), 5'400'000);
    EXPECT_EQ(millis("1d2h3m4s5ms"), 93'784'005);
}

TEST(ParseDuration, RefusesABareNumberAndOtherSlips) {
    for (auto text : {"", "10", "m", "-5m", "1.5h", "5s5s", "30m1h", "5 m", "5min", "1H", "00"})
        EXPECT_EQ(millis(text), -1) << text;
}

TEST(ParseDuration, StopsBeforeItOverflows) {
    EXPECT_EQ(millis("4611686018427387903ms"), std::numeric_limits<int64_t>::max() / 2);
    EXPECT_EQ(millis("4611686018427387904ms"), -1);
    EXPECT_EQ(millis("999999999999999999d"), -1);
}

TEST(FormatBytes, HasOneDecimalBelowTen) {
    EXPECT_EQ(format_bytes({0}), "0 B");
    EXPECT_EQ(format_bytes({1023}), "1023 B");
    EXPECT_EQ(format_bytes({1024}), "1.0 KiB");
    EXPECT_EQ(format_bytes({80 << 20}), "80 MiB");
    EXPECT_EQ(format_bytes({5798205850}), "5.4 GiB");
    EXPECT_EQ(format_bytes({-2048}), "-2.0 KiB");
    EXPECT_EQ(format_bytes({int64_t{1} << 62}), "4194304 TiB");
}

TEST(FormatBytes, RoundsIntoTheNextUnit) {
    EXPECT_EQ(format_bytes({10188}), "9.9 KiB");
    EXPECT_EQ(format_bytes({10189}), "10 KiB");
    EXPECT_EQ(format_bytes({1023 * 1024 + 511}), "1023 KiB");
    EXPECT_EQ(format_bytes({1023 * 1024 + 512}), "1.0 MiB");
}

TEST(FormatDuration, NamesTwoUnitsAtMost) {
    EXPECT_EQ(format_duration({250}), "250 ms");
    EXPECT_EQ(format_duration({999}), "999 ms");
    EXPECT_EQ(format_duration({1000}), "1.0 s");
    EXPECT_EQ(format_duration({4200}), "4.2 s");
    EXPECT_EQ(format_duration({9949}), "9.9 s");
    EXPECT_EQ(format_duration({9950}), "10 s");
    EXPECT_EQ(format_duration({59'499}), "59 s");
    EXPECT_EQ(format_duration({59'500}), "1 min");
    EXPECT_EQ(format_duration({500'000}), "8 min 20 s");
    EXPECT_EQ(format_duration({7'500'000}), "2 h 5 min");
    EXPECT_EQ(format_duration(hours(24)), "1 d");
    EXPECT_EQ(format_duration(hours(49)), "2 d 1 h");
    EXPECT_EQ(format_duration({-250}), "-250 ms");
}

TEST(Nearest, AllowsTwoSlipsInALongWord) {
    const std::vector<std::string> keys{"schedule", "command", "task", "timeout"};
    EXPECT_EQ(nearest("shedule", keys), "schedule");
    EXPECT_EQ(nearest("comand", keys), "command");
    EXPECT_EQ(nearest("timeuot", keys), "timeout");
    EXPECT_EQ(nearest("timoooot", keys), "");  // three slips
}

TEST(Nearest, AllowsAThirdOfAShortWord) {
    const std::vector<std::string> keys{"task"};
    EXPECT_EQ(nearest("tsk", keys), "task");
    EXPECT_EQ(nearest("tk", keys), "");
    EXPECT_EQ(nearest("", keys), "");
    EXPECT_EQ(nearest("task", {}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) {
    EXPECT_EQ(nearest("cat", {"bat", "hat"}), "bat");
}

TEST(FormatText, TheLargestNumbersDoNotOverflow) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(format_bytes(Bytes{kMost}), "8388608 TiB");
    EXPECT_EQ(format_duration(Millis{kMost}), "106751991167 d 7 h");
}

}  // namespace
}  // namespace hotdesk
