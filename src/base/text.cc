// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

namespace hotdesk {
namespace {

// A suffix that people type and how many of the base unit it stands for.
struct Unit {
    std::string_view name;
    int64_t scale;
};

constexpr int64_t kBytesMax = int64_t{1} << 62;

constexpr std::array<Unit, 9> kByteUnits{{{"B", 1},
                                          {"kB", 1'000},
                                          {"MB", 1'000'000},
                                          {"GB", 1'000'000'000},
                                          {"TB", 1'000'000'000'000},
                                          {"KiB", int64_t{1} << 10},
                                          {"MiB", int64_t{1} << 20},
                                          {"GiB", int64_t{1} << 30},
                                          {"TiB", int64_t{1} << 40}}};

constexpr std::array<Unit, 5> kTimeUnits{
    {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// Takes the characters that `wanted` accepts off the front of `text`.
template <class Predicate>
std::string_view take(std::string_view& text, Predicate wanted) {
    size_t n = 0;
    while (n < text.size() && wanted(text[n])) ++n;
    auto taken = text.substr(0, n);
    text.remove_prefix(n);
    return taken;
}

template <size_t N>
std::optional<int64_t> scale_of(std::string_view name, const std::array<Unit, N>& units) {
    for (const auto& unit : units)
        if (unit.name == name) return unit.scale;
    return std::nullopt;
}

// a * b + c for values that are not negative, or nothing when that passes `limit`.
std::optional<int64_t> multiply_add(int64_t a, int64_t b, int64_t c, int64_t limit) {
    int64_t product = 0, sum = 0;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum))
        return {};
    return sum <= limit ? std::optional(sum) : std::nullopt;
}

std::optional<int64_t> to_number(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    int64_t value = 0;
    for (char digit : digits) {
        auto next = multiply_add(value, 10, digit - '0', std::numeric_limits<int64_t>::max());
        if (!next) return std::nullopt;
        value = *next;
    }
    return value;
}

// The part after the point, times `scale`: ("5", 1000) is 500. Digits past the ninth are dropped:
// they are below one byte for every unit up to GiB.
int64_t fraction_of(std::string_view digits, int64_t scale) {
    int64_t numerator = 0, denominator = 1;
    for (char digit : digits.substr(0, 9)) {
        numerator = numerator * 10 + (digit - '0');
        denominator *= 10;
    }
    // Whole and remainder apart, so that 999999999 * 2^40 does not overflow.
    return scale / denominator * numerator + scale % denominator * numerator / denominator;
}

tl::unexpected<Error> not_bytes(std::string_view text) {
    return fail(Code::kInvalid,
                fmt::format("\"{}\" is not a size: write a number and a unit, such as \"512MiB\" "
                            "(B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), up to 4194304 TiB",
                            text));
}

tl::unexpected<Error> not_duration(std::string_view text) {
    return fail(
        Code::kInvalid,
        fmt::format("\"{}\" is not a duration: write numbers with units, such as \"90s\" or "
                    "\"1h30m\" (ms, s, m, h, d)",
                    text));
}

// One decimal below ten of a unit, none above. Rounds to nearest, in integers.
std::string with_unit(int64_t value, int64_t scale, std::string_view unit) {
    const int64_t tenths = value / scale * 10 + (value % scale * 10 + scale / 2) / scale;
    if (tenths >= 100)
        return fmt::format("{} {}", value / scale + (value % scale * 2 >= scale), unit);
    return fmt::format("{}.{} {}", tenths / 10, tenths % 10, unit);
}

struct Pair {
    int64_t big;
    std::string_view big_unit;
    int64_t small;
    std::string_view small_unit;
};

std::string two_units(const Pair& p) {
    if (p.small == 0) return fmt::format("{} {}", p.big, p.big_unit);
    return fmt::format("{} {} {} {}", p.big, p.big_unit, p.small, p.small_unit);
}

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
    auto rest = trimmed(text);
    const auto whole = to_number(take(rest, is_digit));
    std::string_view fraction;
    if (!rest.empty() && rest.front() == '.') {
        rest.remove_prefix(1);
        fraction = take(rest, is_digit);
        if (fraction.empty()) return not_bytes(text);
    }
    const bool has_point = !fraction.empty();
    rest = trimmed(rest);
    if (rest.empty() && has_point) return not_bytes(text);  // "1.5": half a byte
    const auto scale = rest.empty() ? std::optional<int64_t>(1) : scale_of(rest, kByteUnits);
    if (!whole || !scale) return not_bytes(text);
    const auto value = multiply_add(*whole, *scale, fraction_of(fraction, *scale), kBytesMax);
    if (!value) return not_bytes(text);
    return Bytes{*value};
}

Result<Millis> parse_duration(std::string_view text) {
    auto rest = trimmed(text);
    if (rest == "0") return Millis{0};
    if (rest.empty()) return not_duration(text);
    int64_t total = 0;
    int64_t scale_before = std::numeric_limits<int64_t>::max();
    while (!rest.empty()) {
        const auto number = to_number(take(rest, is_digit));
        const auto scale = scale_of(take(rest, is_letter), kTimeUnits);
        // Units go down ("1h30m"): "5s5s" and "30m1h" are slips of the pen.
        if (!number || !scale || *scale >= scale_before) return not_duration(text);
        const auto sum =
            multiply_add(*number, *scale, total, std::numeric_limits<int64_t>::max() / 2);
        if (!sum) return not_duration(text);
        total = *sum;
        scale_before = *scale;
    }
    return Millis{total};
}

std::string format_bytes(Bytes bytes) {
    if (bytes.value < 0) return "-" + format_bytes(Bytes{0} - bytes);
    if (bytes.value < 1024) return fmt::format("{} B", bytes.value);
    constexpr std::array<Unit, 4> units{{{"KiB", int64_t{1} << 10},
                                         {"MiB", int64_t{1} << 20},
                                         {"GiB", int64_t{1} << 30},
                                         {"TiB", int64_t{1} << 40}}};
    // The unit in which the rounded number stays below 1024: 1048575 is "1.0 MiB", not "1024 KiB".
    size_t i = 0;
    while (i + 1 < units.size() && bytes.value >= units[i].scale * 1024 - units[i].scale / 2) ++i;
    return with_unit(bytes.value, units[i].scale, units[i].name);
}

std::string format_duration(Millis duration) {
    const int64_t ms = duration.value;
    if (ms < 0) return "-" + format_duration(Millis{0} - duration);
    if (ms < 1000) return fmt::format("{} ms", ms);
    if (ms < 9'950) return with_unit(ms, 1000, "s");
    const int64_t s = ms / 1000 + (ms % 1000 >= 500 ? 1 : 0);
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return two_units({s / 60, "min", s % 60, "s"});
    const int64_t min = (s + 30) / 60;
    if (min < 60 * 24) return two_units({min / 60, "h", min % 60, "min"});
    const int64_t h = (min + 30) / 60;
    return two_units({h / 24, "d", h % 24, "h"});
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    size_t best = std::min<size_t>(2, word.size() / 3) + 1;
    std::string found;
    for (const auto& candidate : candidates) {
        const size_t distance = edit_distance(word, candidate);
        if (distance >= best) continue;
        best = distance;
        found = candidate;
    }
    return found;
}

}  // namespace hotdesk
