// SPDX-License-Identifier: MIT
#pragma once
// Scenarios by name: those that came with this program, or a file of the user's.

#include <string>

#include "base/result.h"
#include "sim/scenario.h"

namespace hotdesk {

// `name` is a file when it has a '/' or ends in ".toml". Errors: kNotFound lists the names there
// are; kInvalid as parse_scenario.
Result<sim::Scenario> load_scenario(const std::string& name);

}  // namespace hotdesk
