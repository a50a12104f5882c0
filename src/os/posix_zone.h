// SPDX-License-Identifier: MIT
#pragma once
// The POSIX rule of a time zone ("CET-1CEST,M3.5.0,M10.5.0/3"), which a TZif file ends with for all
// the years after its table. Only os/time_zone uses it.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/zone.h"

namespace hotdesk {

// A day of the year on which the clock changes, and when on it.
struct ChangeDay {
    enum class Kind { kJulian, kZeroBased, kMonthWeekDay };  // J60 (no leap day), 59, M3.5.0
    Kind kind = Kind::kMonthWeekDay;
    int day = 0;             // J: 1-365; zero-based: 0-365; M: the weekday, 0 = Sunday
    int month = 1;           // M only
    int week = 1;            // M only: 1-5, 5 = the last
    int64_t seconds = 7200;  // local time of day, -167 h to 167 h
};

struct PosixRule {
    int64_t standard_s = 0;  // seconds east of Greenwich
    int64_t summer_s = 0;
    bool has_summer = false;
    ChangeDay begins, ends;  // of summer time; valid when has_summer
};

// Errors: kInvalid, with the rule.
Result<PosixRule> parse_posix_rule(std::string_view text);

// Returns: both changes of each year, sorted.
std::vector<ZoneChange> changes_of(const PosixRule& rule, int first_year, int last_year);

}  // namespace hotdesk
