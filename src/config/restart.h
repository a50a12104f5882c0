// SPDX-License-Identifier: MIT
#pragma once
// Which changes of a config a running daemon cannot take up: it says so at a reload instead of
// ignoring them.

#include <string>
#include <vector>

#include "config/config.h"

namespace hotdesk {

// Returns: the changed keys ("server.listen") that hold only from the next start on, in the order
// of the document. Everything else is part of the Fleet and holds at once.
std::vector<std::string> needs_restart(const Config& before, const Config& after);

}  // namespace hotdesk
