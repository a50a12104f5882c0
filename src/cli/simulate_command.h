// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk simulate [FILE]`: the shipped policy over a simulated machine, for a day or a year of
// your fleet or of a generated one, in seconds. Nothing is started and no model is loaded.

#include <span>
#include <string>

namespace hotdesk {

// `args` are those after "simulate". Exits 1 when --check found a broken promise; it then prints
// the command that replays it.
int simulate_command(std::span<const std::string> args);

}  // namespace hotdesk
