// SPDX-License-Identifier: MIT
#include "sim/reschedule.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace hotdesk::sim {
namespace {

std::vector<int> values_of(uint64_t bits) {
    std::vector<int> values;
    for (int i = 0; i < 64; ++i)
        if ((bits >> i & 1) != 0) values.push_back(i);
    return values;
}

// As short as it can be written: "7", "*/15", "7-59/15", "5,20,21". Requires: some value.
std::string field_of(const std::vector<int>& values, int count) {
    int first = values.front();
    if (values.size() == 1) return std::to_string(first);
    int step = values[1] - first;
    bool is_regular = first < step && values.back() + step >= count;
    for (size_t i = 1; i < values.size(); ++i) is_regular &= values[i] - values[i - 1] == step;
    if (!is_regular) return fmt::format("{}", fmt::join(values, ","));
    if (first > 0) return fmt::format("{}-{}/{}", first, count - 1, step);
    return step == 1 ? "*" : fmt::format("*/{}", step);
}

// The fields behind the first `count`, as the user wrote them; those that "@hourly" and "@daily"
// stand for.
std::optional<std::string> fields_behind(const Schedule& schedule, int count) {
    const std::string& text = schedule.text;
    if (text.starts_with('@')) {
        constexpr uint16_t kEveryMonth = 0x1ffe;
        bool is_daily = !schedule.day_restricted && !schedule.weekday_restricted &&
                        schedule.months == kEveryMonth;
        if (!is_daily) return std::nullopt;
        return count > 1 ? "* * *" : field_of(values_of(schedule.hours), 24) + " * * *";
    }
    size_t at = text.find_first_not_of(" \t");
    for (int i = 0; i < count; ++i)
        at = text.find_first_not_of(" \t", text.find_first_of(" \t", at));
    return text.substr(at);
}

std::optional<Schedule> written(const Schedule& old, const std::string& fields, int count) {
    auto rest = fields_behind(old, count);
    if (!rest) return std::nullopt;
    auto schedule = parse_schedule(fields + " " + *rest);
    if (!schedule) return std::nullopt;
    return *schedule;
}

std::vector<int> every_second(const std::vector<int>& values) {
    std::vector<int> kept;
    for (size_t i = 0; i < values.size(); i += 2) kept.push_back(values[i]);
    return kept;
}

}  // namespace

std::optional<Schedule> moved(const Schedule& schedule, int by) {
    if (schedule.kind != Schedule::Kind::kCron) return std::nullopt;
    std::vector<int> minutes = values_of(schedule.minutes);
    for (int& minute : minutes) minute += by;
    if (minutes.front() < 0 || minutes.back() > 59) return std::nullopt;
    return written(schedule, field_of(minutes, 60), 1);
}

std::optional<Schedule> stretched(const Schedule& schedule) {
    if (schedule.kind == Schedule::Kind::kEvery) {
        int64_t seconds = schedule.every.value * 2 / 1000;
        auto slower = parse_schedule(seconds % 60 == 0 ? fmt::format("every {}m", seconds / 60)
                                                       : fmt::format("every {}s", seconds));
        if (!slower) return std::nullopt;
        return *slower;
    }
    if (schedule.kind != Schedule::Kind::kCron) return std::nullopt;
    std::vector<int> minutes = values_of(schedule.minutes), hours = values_of(schedule.hours);
    if (minutes.size() > 1) return written(schedule, field_of(every_second(minutes), 60), 1);
    if (hours.size() == 1) return std::nullopt;
    return written(schedule, field_of(minutes, 60) + " " + field_of(every_second(hours), 24), 2);
}

}  // namespace hotdesk::sim
