// SPDX-License-Identifier: MIT
#include "daemon/iso_time.h"

#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace hotdesk {

std::string iso_time(Wall at) {
    const time_t seconds = at.ms / 1000 - (at.ms % 1000 < 0 ? 1 : 0);
    tm utc{};
    gmtime_r(&seconds, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                       utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                       at.ms - seconds * 1000);
}

Result<Wall> parse_iso_time(std::string_view text) {
    const std::string copy(text);
    tm utc{};
    int millis = 0, end = -1;
    std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &utc.tm_year, &utc.tm_mon,
                &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &millis, &end);
    if (end < 0)
        std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &utc.tm_year, &utc.tm_mon,
                    &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &end);
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    const Wall at{int64_t{timegm(&utc)} * 1000 + millis};
    // Written again it must be the same, or a field was out of range (month 13, second 61).
    const bool same =
        end == static_cast<int>(copy.size()) && iso_time(at).substr(0, 19) == copy.substr(0, 19);
    if (!same)
        return fail(Code::kInvalid,
                    fmt::format("\"{}\" is not a time like 2026-12-01T12:00:00Z", text));
    return at;
}

void put_time(nlohmann::json& object, const std::string& key, std::optional<Wall> at) {
    object[key] = at ? nlohmann::json(iso_time(*at)) : nlohmann::json();
    object[key + "_ms"] = at ? nlohmann::json(at->ms) : nlohmann::json();
}

}  // namespace hotdesk
