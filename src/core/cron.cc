// SPDX-License-Identifier: MIT
#include "core/cron.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <span>
#include <vector>

#include "base/text.h"

// How the next firing is found.
//
// A zone is a row of segments with one offset each, and inside a segment local time is UTC plus a
// constant. So the question splits in two. first_match() knows no zone: it finds the first local
// minute that the fields allow, by jumping from month to month and then taking the lowest bit of
// masks; a day that does not match costs nothing. next_in_cron() walks the segments: when the match
// lies in the segment, it is the answer; when not, the search goes on in the next one, and the
// border between the two is where a clock change is dealt with:
//
//   forward (gap)   the match may name a time that does not exist: it runs at the border
//   back (fold)     the local times that come again are passed over, they have had their turn
//
// A match that lies behind the segment stays the candidate for the next one, so a whole walk
// usually needs one search.

namespace hotdesk {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kMinutesOfDay = 1440;
constexpr int kMonthsAhead = 61;  // five years, and the month begun

// ---- text to masks -----------------------------------------------------------------------------

using Names = std::span<const std::string_view>;

constexpr std::string_view kMonthNames[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDayNames[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// One of the five fields. `last` is the end of '*' and of "5/15"; day-of-week also takes 7.
struct Field {
    std::string_view name;
    unsigned first, last, max;
    Names names;
};

constexpr Field kMinute{"minute", 0, 59, 59, {}};
constexpr Field kHour{"hour", 0, 23, 23, {}};
constexpr Field kDay{"day of month", 1, 31, 31, {}};
constexpr Field kMonth{"month", 1, 12, 12, kMonthNames};
constexpr Field kWeekday{"day of week", 0, 6, 7, kDayNames};

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool in_word = false;
    for (char c : lower(text)) {
        if (!is_space(c) && !in_word) words.emplace_back();
        in_word = !is_space(c);
        if (in_word) words.back().push_back(c);
    }
    return words;
}

// The words from `first` on, written together: "1h 30m" is "1h30m".
std::string text_of(const std::vector<std::string>& words, size_t first) {
    std::string text;
    for (size_t i = first; i < words.size(); ++i) text += words[i];
    return text;
}

tl::unexpected<Error> wrong(const Field& field, std::string_view text, std::string_view what) {
    return fail(Code::kInvalid, fmt::format("{}: \"{}\" {}", field.name, text, what));
}

std::string allowed_in(const Field& field) {
    if (field.names.empty()) return fmt::format("{}-{}", field.first, field.max);
    return fmt::format("{}-{} or {}-{}", field.first, field.max, field.names.front(),
                       field.names.back());
}

// Digits to a number; more than four of them are out of every range anyway.
std::optional<unsigned> to_number(std::string_view text) {
    if (text.empty() || text.size() > 4) return std::nullopt;
    unsigned value = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

Result<unsigned> parse_value(const Field& field, std::string_view text) {
    for (size_t i = 0; i < field.names.size(); ++i)
        if (field.names[i] == text) return field.first + static_cast<unsigned>(i);
    const auto value = to_number(text);
    if (!value || *value < field.first || *value > field.max)
        return wrong(field, text, fmt::format("is not in {}", allowed_in(field)));
    return *value;
}

struct Range {
    unsigned from, to;
};

Result<Range> parse_range(const Field& field, std::string_view text, bool has_step) {
    if (text == "*") return Range{field.first, field.last};
    const size_t dash = text.find('-');
    HD_TRY(const unsigned from, parse_value(field, text.substr(0, dash)));
    if (dash == text.npos) return Range{from, has_step ? std::max(from, field.last) : from};
    HD_TRY(unsigned to, parse_value(field, text.substr(dash + 1)));
    if (to < from && to == 0 && field.max == 7) to = 7;  // "sat-sun": there Sunday is 7
    if (to < from)
        return wrong(field, text, "runs backwards: write two ranges, such as \"fri-sat,sun-mon\"");
    return Range{from, to};
}

// One item of a list: "*", "5", "mon-fri", "*/15", "8-20/2", "5/15" (from 5 to the end).
Result<uint64_t> parse_item(const Field& field, std::string_view text) {
    const size_t slash = text.find('/');
    HD_TRY(const Range range, parse_range(field, text.substr(0, slash), slash != text.npos));
    unsigned step = 1;
    if (slash != text.npos) {
        const auto number = to_number(text.substr(slash + 1));
        if (!number || *number == 0 || *number > field.last)
            return wrong(field, text, fmt::format("needs a step from 1 to {}", field.last));
        step = *number;
    }
    uint64_t mask = 0;
    for (unsigned value = range.from; value <= range.to; value += step)
        mask |= uint64_t{1} << value;
    return mask;
}

Result<uint64_t> parse_field(const Field& field, std::string_view text) {
    uint64_t mask = 0;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        HD_TRY(const uint64_t item, parse_item(field, text.substr(begin, end - begin)));
        mask |= item;
        begin = end + 1;
    }
    return mask;
}

// ---- whole expressions -------------------------------------------------------------------------

struct Word {
    std::string_view word, fields;
};
constexpr Word kWords[] = {{"@hourly", "0 * * * *"},   {"@daily", "0 0 * * *"},
                           {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
                           {"@monthly", "0 0 1 * *"},  {"@yearly", "0 0 1 1 *"},
                           {"@annually", "0 0 1 1 *"}};

Result<std::string_view> meaning_of(std::string_view word) {
    for (const auto& known : kWords)
        if (known.word == word) return known.fields;
    if (word == "@reboot")
        return fail(Code::kInvalid,
                    "@reboot is not a time: leave the schedule out and start the "
                    "agent with `hotdesk run`, or take @hourly");
    return fail(Code::kInvalid,
                fmt::format("\"{}\" is unknown: @hourly, @daily, @midnight, @weekly, @monthly, "
                            "@yearly and @annually are known",
                            word));
}

unsigned days_at_most(unsigned month) {
    constexpr unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1];
}

// "0 0 30 2 *" names no day of any year. With a weekday beside the day either is enough.
bool fires_at_all(const Schedule& s) {
    if (s.day_restricted && s.weekday_restricted) return true;
    for (unsigned month = 1; month <= 12; ++month)
        if ((s.months >> month & 1) != 0 &&
            static_cast<unsigned>(std::countr_zero(s.days)) <= days_at_most(month))
            return true;
    return false;
}

Result<Schedule> parse_fields(const std::vector<std::string>& fields) {
    if (fields.size() != 5)
        return fail(Code::kInvalid,
                    fmt::format("has {} field{}: 5 are needed (minute hour day-of-month month "
                                "day-of-week)",
                                fields.size(), fields.size() == 1 ? "" : "s"));
    HD_TRY(const uint64_t minutes, parse_field(kMinute, fields[0]));
    HD_TRY(const uint64_t hours, parse_field(kHour, fields[1]));
    HD_TRY(const uint64_t days, parse_field(kDay, fields[2]));
    HD_TRY(const uint64_t months, parse_field(kMonth, fields[3]));
    HD_TRY(const uint64_t weekdays, parse_field(kWeekday, fields[4]));
    Schedule schedule{.kind = Schedule::Kind::kCron,
                      .text = {},
                      .minutes = minutes,
                      .hours = static_cast<uint32_t>(hours),
                      .days = static_cast<uint32_t>(days),
                      .months = static_cast<uint16_t>(months),
                      .weekdays = static_cast<uint8_t>((weekdays | weekdays >> 7) & 0x7f),
                      .day_restricted = fields[2].front() != '*',
                      .weekday_restricted = fields[4].front() != '*',
                      .hour_is_wild = fields[1].front() == '*',
                      .every = {}};
    if (!fires_at_all(schedule))
        return fail(Code::kInvalid, "never fires: no month has such a day");
    return schedule;
}

// Below a second the starts would only queue up; above a year "every" is a slip of the pen.
Result<Schedule> parse_every(std::string_view period) {
    HD_TRY(const Millis every, parse_duration(period));
    if (every < seconds(1) || every > hours(24 * 366))
        return fail(Code::kInvalid, fmt::format("every {}: takes 1s to 366d", period));
    return Schedule{.kind = Schedule::Kind::kEvery, .text = {}, .every = every, .phase = {}};
}

Result<Schedule> parse_words(const std::vector<std::string>& words) {
    if (words.empty()) return Schedule{};
    if (words.front() == "every") return parse_every(text_of(words, 1));
    if (!words.front().starts_with('@') || words.size() > 1) return parse_fields(words);
    HD_TRY(const std::string_view fields, meaning_of(words.front()));
    return parse_fields(words_of(fields));
}

// ---- the next firing ---------------------------------------------------------------------------

int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}
int64_t ceil_div(int64_t a, int64_t b) {
    return -floor_div(-a, b);
}

// Bit d is set for each day d of the month that the two day fields allow.
uint32_t days_of(const Schedule& s, std::chrono::year_month month) {
    using namespace std::chrono;
    const unsigned last =
        static_cast<unsigned>(year_month_day_last(month / std::chrono::last).day());
    const unsigned first_weekday = weekday(sys_days(month / 1)).c_encoding();
    // Six copies of the week's seven bits cover every month; moved so that bit 1 is the first's.
    uint64_t by_weekday = 0;
    for (unsigned shift = 0; shift < 42; shift += 7) by_weekday |= uint64_t{s.weekdays} << shift;
    by_weekday = by_weekday >> first_weekday << 1;
    const bool either = s.day_restricted && s.weekday_restricted;
    const uint64_t allowed = either ? s.days | by_weekday : s.days & by_weekday;
    return static_cast<uint32_t>(allowed & ((uint64_t{2} << last) - 2));
}

// The first allowed minute of a day, not before `from`.
std::optional<int64_t> minute_of_day(const Schedule& s, int64_t from) {
    const auto hour = static_cast<int>(from / 60);
    if ((s.hours >> hour & 1) != 0)
        if (const uint64_t left = s.minutes >> (from % 60); left != 0)
            return from + std::countr_zero(left);
    const uint32_t later = s.hours >> hour >> 1;
    if (later == 0) return std::nullopt;
    return (hour + 1 + std::countr_zero(later)) * int64_t{60} + std::countr_zero(s.minutes);
}

// The first local minute (counted from 1970-01-01 00:00 local) that the fields allow, not before
// `from`; nothing when there is none in five years.
std::optional<int64_t> first_match(const Schedule& s, int64_t from) {
    using namespace std::chrono;
    const int64_t today = floor_div(from, kMinutesOfDay);
    const year_month_day date{sys_days(std::chrono::days(today))};
    year_month month = date.year() / date.month();
    uint32_t day_mask = ~uint32_t{0} << static_cast<unsigned>(date.day());
    for (int i = 0; i < kMonthsAhead; ++i, month += months(1), day_mask = ~uint32_t{0}) {
        if ((s.months >> static_cast<unsigned>(month.month()) & 1) == 0) continue;
        for (uint32_t left = days_of(s, month) & day_mask; left != 0; left &= left - 1) {
            const auto day = static_cast<unsigned>(std::countr_zero(left));
            const int64_t number =
                sys_days(month / std::chrono::day(day)).time_since_epoch().count();
            const auto minute = minute_of_day(s, number == today ? from % kMinutesOfDay : 0);
            if (minute) return number * kMinutesOfDay + *minute;
        }
    }
    return std::nullopt;
}

std::optional<int64_t> first_match_ms(const Schedule& s, int64_t from_ms) {
    const auto minute = first_match(s, ceil_div(from_ms, kMinuteMs));
    if (!minute) return std::nullopt;
    return *minute * kMinuteMs;
}

// The changes of a zone, walked from one to the next.
using Change = std::vector<ZoneChange>::const_iterator;

Millis offset_before(const Zone& zone, Change change) {
    return change == zone.changes.begin() ? zone.base : std::prev(change)->offset;
}

// Where the search for local times starts when the clock of `zone` shows `after`: one millisecond
// later, and, for a fixed hour, behind the local times that a clock set back brings again.
int64_t search_from(const Schedule& s, const Zone& zone, Wall after, Change next) {
    const int64_t from = after.ms + 1 + offset_before(zone, next).value;
    if (s.hour_is_wild || next == zone.changes.begin()) return from;
    const Change begun = std::prev(next);
    return std::max(from, begun->from.ms + offset_before(zone, begun).value);
}

std::optional<Wall> next_in_cron(const Schedule& s, const Zone& zone, Wall after) {
    Change next = std::upper_bound(zone.changes.begin(), zone.changes.end(), after,
                                   [](Wall t, const ZoneChange& c) { return t < c.from; });
    auto local = first_match_ms(s, search_from(s, zone, after, next));
    for (; local && next != zone.changes.end(); ++next) {
        const Millis before = offset_before(zone, next);
        if (*local < next->from.ms + before.value) return Wall{*local - before.value};
        const int64_t clock_shows = next->from.ms + next->offset.value;
        const bool is_gap_in_a_day = next->offset - before < hours(24);
        if (s.hour_is_wild || !is_gap_in_a_day)
            local = first_match_ms(s, clock_shows);
        else if (*local < clock_shows)
            return next->from;  // the time does not exist: the first instant after the gap
    }
    if (!local) return std::nullopt;
    return Wall{*local - offset_before(zone, next).value};
}

}  // namespace

Result<Schedule> parse_schedule(std::string_view text) {
    auto schedule = parse_words(words_of(text));
    if (!schedule)
        return fail(schedule.error().code,
                    fmt::format("schedule \"{}\": {}", text, schedule.error().message));
    schedule->text = text;
    return schedule;
}

std::optional<Wall> next_firing(const Schedule& schedule, const Zone& zone, Wall after) {
    switch (schedule.kind) {
        case Schedule::Kind::kNever: return std::nullopt;
        case Schedule::Kind::kCron: return next_in_cron(schedule, zone, after);
        case Schedule::Kind::kEvery:
            after = after - schedule.phase;
            return Wall{(floor_div(after.ms, schedule.every.value) + 1) * schedule.every.value} +
                   schedule.phase;
    }
    return std::nullopt;
}

}  // namespace hotdesk
