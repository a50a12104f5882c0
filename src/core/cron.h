// SPDX-License-Identifier: MIT
#pragma once
// Cron expressions and "every" intervals: text to a value, and the next firing after a time.
// Five fields (minute hour day-of-month month day-of-week), names, ranges, steps, lists, @words;
// day-of-month OR day-of-week when both are restricted, as Vixie cron has it.
//
// Local time and the two clock changes: a firing inside the hour that does not exist runs once, at
// the first instant after the gap; one inside the hour that comes twice runs once, the first time.
// Expressions with a * or */n in the hour field follow real time instead and neither skip nor
// repeat. A whole day that a zone leaves out (Apia, 30 December 2011) has no firings: nobody lived
// it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "core/zone.h"

namespace hotdesk {

// A parsed schedule. Bit i of a field is set when value i matches (month 1-12, day-of-week
// 0=Sunday).
struct Schedule {
    enum class Kind : uint8_t { kNever, kCron, kEvery };

    Kind kind = Kind::kNever;
    std::string text;                 // as the user wrote it
    uint64_t minutes = 0;             // 0-59
    uint32_t hours = 0;               // 0-23
    uint32_t days = 0;                // 1-31
    uint16_t months = 0;              // 1-12
    uint8_t weekdays = 0;             // 0-6
    bool day_restricted = false;      // day-of-month does not start with '*'
    bool weekday_restricted = false;  // day-of-week does not start with '*'
    bool hour_is_wild = false;        // the hour field starts with '*'
    Millis every;                     // kEvery: the period
    Millis phase;                     // kEvery: the first firing after the Unix epoch

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Reads "*/15 8-20 * * mon-fri", "@hourly", "every 20m", or "" (never: started by hand only).
// Errors: kInvalid names the field, the text and what is allowed there. An expression that can
// never fire ("0 0 30 2 *") is an error too.
Result<Schedule> parse_schedule(std::string_view text);

// Returns: the first firing strictly after `after`, or nothing when it never fires again
// (within five years).
std::optional<Wall> next_firing(const Schedule& schedule, const Zone& zone, Wall after);

}  // namespace hotdesk
