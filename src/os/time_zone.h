// SPDX-License-Identifier: MIT
#pragma once
// Time zones from the system's database (/usr/share/zoneinfo) as core/zone.h values. Each zone is
// read once, when the config is resolved; nothing here is called while a schedule is decided.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/zone.h"

namespace hotdesk {

// Where to look. The defaults are the machine's own; tests point them elsewhere.
struct ZoneSource {
    std::string directory = "/usr/share/zoneinfo";
    std::string localtime = "/etc/localtime";
    std::string tz;  // the value of $TZ, or "" for none; only "local" looks at it
};

// The source with $TZ taken from the environment.
ZoneSource system_zone_source();

// "Europe/Berlin", "UTC", or "local": what $TZ or /etc/localtime say (UTC when neither is there).
// Returns: the changes from 1970 to 2100, the rule at the end of the file written out year by year.
// Errors: kNotFound for an unknown name, with the nearest known one; kInvalid for a name that is a
// path or a file that is not TZif.
Result<Zone> load_zone(std::string_view name, const ZoneSource& source = system_zone_source());

// Reads the contents of a TZif file (RFC 8536, version 2 or later).
// Errors: kInvalid when it is truncated or something else. Never reads outside `data`.
Result<Zone> parse_tzif(std::string_view name, std::string_view data);

// Reads a POSIX rule: "CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", "UTC0".
Result<Zone> parse_posix_zone(std::string_view name, std::string_view rule);

}  // namespace hotdesk
