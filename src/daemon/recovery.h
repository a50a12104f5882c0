// SPDX-License-Identifier: MIT
#pragma once
// What a daemon does before its first decision: ends what the one before it left running, and
// closes those runs in the history.

#include "base/result.h"
#include "store/store.h"

namespace hotdesk {

// Returns: where the history stands. Every run that was unfinished is over as "interrupted", and no
// process of it is left. Errors: as Store; kTimeout when a process cannot be ended.
Result<Recovery> recover(Store& store, Wall now);

}  // namespace hotdesk
