// SPDX-License-Identifier: MIT
#pragma once
// The schema and a config, written out: doc/config.md, and `hotdesk config show`.

#include <string>

#include "config/config.h"

namespace hotdesk {

// The whole of doc/config.md.
std::string config_doc();

// Every key with its value, defaults included, as TOML that parse_config reads back. Environment
// variables of agents whose names speak of a key, token, secret or password are not shown.
std::string config_toml(const Config& config);

// The same as one JSON object: sections by name, [[sections]] as lists; durations in milliseconds
// (keys end in _ms), sizes in bytes (keys end in _bytes).
std::string config_json(const Config& config);

}  // namespace hotdesk
