// SPDX-License-Identifier: MIT
#include "os/posix_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace hotdesk {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads one rule from left to right. The first thing that is wrong makes `failed` true; reading
// goes on with zeros, so that the grammar below needs no test after each step.
struct Reader {
    std::string_view rest;
    bool failed = false;

    bool skip(char wanted) {
        if (rest.empty() || rest.front() != wanted) return false;
        rest.remove_prefix(1);
        return true;
    }
    void expect(char wanted) { failed |= !skip(wanted); }

    int number(int low, int high) {
        int value = 0, digits = 0;
        for (; !rest.empty() && is_digit(rest.front()) && digits < 4;
             ++digits, rest.remove_prefix(1))
            value = value * 10 + (rest.front() - '0');
        failed |= digits == 0 || value < low || value > high;
        return value;
    }

    // "CET" or "<+0330>"; only its end matters.
    void name() {
        const bool quoted = skip('<');
        size_t n = 0;
        while (n < rest.size() && (quoted ? rest[n] != '>' : is_letter(rest[n]))) ++n;
        failed |= n < 3;
        rest.remove_prefix(n);
        if (quoted) expect('>');
    }

    // [+-]hh[:mm[:ss]] in seconds.
    int64_t time(int hours_max) {
        const int64_t sign = skip('-') ? -1 : 1;
        if (sign == 1) skip('+');
        int64_t seconds = int64_t{number(0, hours_max)} * 3600;
        if (skip(':')) seconds += number(0, 59) * 60;
        if (skip(':')) seconds += number(0, 59);
        return sign * seconds;
    }

    ChangeDay change_day() {
        ChangeDay change;
        if (skip('M')) {
            change.month = number(1, 12);
            expect('.');
            change.week = number(1, 5);
            expect('.');
            change.day = number(0, 6);
        } else if (skip('J')) {
            change.kind = ChangeDay::Kind::kJulian;
            change.day = number(1, 365);
        } else {
            change.kind = ChangeDay::Kind::kZeroBased;
            change.day = number(0, 365);
        }
        if (skip('/')) change.seconds = time(167);
        return change;
    }
};

std::chrono::sys_days date_of(const ChangeDay& change, std::chrono::year year) {
    using namespace std::chrono;
    const sys_days january_1 = year / January / 1;
    switch (change.kind) {
        case ChangeDay::Kind::kZeroBased: return january_1 + days(change.day);
        case ChangeDay::Kind::kJulian:  // day 60 is 1 March in every year
            return january_1 + days(change.day - 1 + (year.is_leap() && change.day >= 60 ? 1 : 0));
        case ChangeDay::Kind::kMonthWeekDay: break;
    }
    const month in(static_cast<unsigned>(change.month));
    const weekday on(static_cast<unsigned>(change.day));
    if (change.week == 5) return sys_days(year / in / on[last]);
    return sys_days(year / in / on[static_cast<unsigned>(change.week)]);
}

struct Shift {
    const ChangeDay& day;
    int64_t from_s, to_s;  // offsets before and after
};

ZoneChange change_in(int year, const Shift& shift) {
    const std::chrono::sys_seconds local = date_of(shift.day, std::chrono::year(year));
    const int64_t at = local.time_since_epoch().count() + shift.day.seconds - shift.from_s;
    return {Wall{at * 1000}, seconds(shift.to_s)};
}

}  // namespace

Result<PosixRule> parse_posix_rule(std::string_view text) {
    Reader reader{text};
    PosixRule rule;
    reader.name();
    rule.standard_s = -reader.time(24);  // POSIX counts west, we count east
    rule.has_summer = !reader.rest.empty();
    if (rule.has_summer) {
        reader.name();
        rule.summer_s = rule.standard_s + 3600;
        if (!reader.rest.empty() && reader.rest.front() != ',') rule.summer_s = -reader.time(24);
        reader.expect(',');
        rule.begins = reader.change_day();
        reader.expect(',');
        rule.ends = reader.change_day();
    }
    if (reader.failed || !reader.rest.empty())
        return fail(Code::kInvalid, fmt::format("\"{}\" is not a POSIX time zone rule", text));
    return rule;
}

std::vector<ZoneChange> changes_of(const PosixRule& rule, int first_year, int last_year) {
    std::vector<ZoneChange> changes;
    if (!rule.has_summer) return changes;
    for (int year = first_year; year <= last_year; ++year) {
        changes.push_back(change_in(year, {rule.begins, rule.standard_s, rule.summer_s}));
        changes.push_back(change_in(year, {rule.ends, rule.summer_s, rule.standard_s}));
    }
    std::sort(changes.begin(), changes.end(),
              [](const ZoneChange& a, const ZoneChange& b) { return a.from < b.from; });
    return changes;
}

}  // namespace hotdesk
