// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk up`: the daemon, in the foreground. It reads and checks the config, then serves until it
// is told to stop; systemd or a terminal looks after it.

#include <span>
#include <string>

namespace hotdesk {

// `args` is what follows "up". Returns the exit code: 78 when the config has errors, 75 when
// another daemon has the state directory.
int up_command(std::span<const std::string> args);

}  // namespace hotdesk
