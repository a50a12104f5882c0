// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk replay FILE`: decides again from a journal and shows where the answer differs.

#include <span>
#include <string>

namespace hotdesk {

// `args` are those after "replay". Exits 0 when every cycle is decided alike, 1 at a difference,
// 65 when FILE is no journal.
int replay_command(std::span<const std::string> args);

}  // namespace hotdesk
