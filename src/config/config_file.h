// SPDX-License-Identifier: MIT
#pragma once
// Finds the config file and reads it, with agents.d/*.toml beside it.

#include <string>

#include "base/result.h"
#include "config/config.h"

namespace hotdesk {

// The first of: `given` (--config), $HOTDESK_CONFIG, ./hotdesk.toml,
// $XDG_CONFIG_HOME/hotdesk/hotdesk.toml, /etc/hotdesk/hotdesk.toml. A file that was named is
// taken even if it is not there; the error comes when it is read.
// Errors: kNotFound, listing where it looked and what to do.
Result<std::string> find_config(const std::string& given, const Environment& environment);

// Reads and parses. Errors: kNotFound or kDenied when a file cannot be read, else as parse_config.
Result<Config> load_config(const std::string& file, const Environment& environment);

// getenv.
std::optional<std::string> process_environment(const std::string& name);

}  // namespace hotdesk
