// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk config check|show|doc`: what is wrong with a config, what it comes to, what may be in
// it.

#include <span>
#include <string>

namespace hotdesk {

// `args` is what follows "config". Returns the exit code: 78 when the config has errors, which are
// printed to stderr, one a line.
int config_command(std::span<const std::string> args);

}  // namespace hotdesk
