// SPDX-License-Identifier: MIT
#pragma once
// What must hold between the entries of a config: names are unique, tasks and models exist, and
// an address that strangers can reach asks for a token.

#include <vector>

#include "config/config.h"
#include "config/toml_node.h"

namespace hotdesk {

// Appends a problem, at the entry it is in, for everything that does not hold.
void check_references(const Config& config, std::vector<Problem>& problems);

}  // namespace hotdesk
