// SPDX-License-Identifier: MIT
#pragma once
// Times as JSON has them: ISO 8601 in UTC with milliseconds, and beside it the number.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

// "2026-12-01T12:00:00.250Z".
std::string iso_time(Wall at);

// Reads what iso_time writes; without the milliseconds too. Errors: kInvalid.
Result<Wall> parse_iso_time(std::string_view text);

// Sets object[key] and object[key + "_ms"]; both null for no time.
void put_time(nlohmann::json& object, const std::string& key, std::optional<Wall> at);

}  // namespace hotdesk
