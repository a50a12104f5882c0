// SPDX-License-Identifier: MIT
#pragma once
// The config, found, read, checked and resolved with this machine's time zones: what every command
// that needs the fleet begins with.

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace hotdesk {

// `given` is --config, or "". Errors: as find_config and parse_config; every mistake has its line.
Result<LoadedFleet> load_fleet(const std::string& given);

// Where this program is, and its companions beside it.
std::string program_directory();

}  // namespace hotdesk
