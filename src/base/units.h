// SPDX-License-Identifier: MIT
#pragma once
// Units as types, so that bytes are never added to tokens nor a wall-clock time to an instant.
// Integers only: decisions compare them, and two compilers must agree on the answer.

#include <compare>
#include <cstdint>

namespace hotdesk {

// A count of one unit. Adds and subtracts with itself, scales by integers, compares.
template <class Tag>
struct Quantity {
    int64_t value = 0;

    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, int64_t k) { return {a.value * k}; }
    friend constexpr Quantity operator/(Quantity a, int64_t k) { return {a.value / k}; }
    constexpr Quantity& operator+=(Quantity b) {
        value += b.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity b) {
        value -= b.value;
        return *this;
    }
};

using Bytes = Quantity<struct BytesTag>;
using Tokens = Quantity<struct TokensTag>;
using Millis = Quantity<struct MillisTag>;  // a duration

// A point in time on one of two clocks, in milliseconds. There is no now(): time is passed in.
template <class Tag>
struct TimePoint {
    int64_t ms = 0;

    friend constexpr auto operator<=>(const TimePoint&, const TimePoint&) = default;
    friend constexpr TimePoint operator+(TimePoint t, Millis d) { return {t.ms + d.value}; }
    friend constexpr TimePoint operator-(TimePoint t, Millis d) { return {t.ms - d.value}; }
    friend constexpr Millis operator-(TimePoint a, TimePoint b) { return {a.ms - b.ms}; }
};

using Instant = TimePoint<struct MonotonicTag>;  // monotonic; measures waits and time-outs
using Wall = TimePoint<struct WallTag>;          // since the Unix epoch; may jump; schedules only

constexpr Millis seconds(int64_t n) {
    return {n * 1000};
}
constexpr Millis minutes(int64_t n) {
    return {n * 60'000};
}
constexpr Millis hours(int64_t n) {
    return {n * 3'600'000};
}
constexpr Bytes kib(int64_t n) {
    return {n << 10};
}
constexpr Bytes mib(int64_t n) {
    return {n << 20};
}
constexpr Bytes gib(int64_t n) {
    return {n << 30};
}

}  // namespace hotdesk
