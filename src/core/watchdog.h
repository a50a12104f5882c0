// SPDX-License-Identifier: MIT
#pragma once
// Unloads what nobody needs: models unused for longer than `keep`, models whose config changed,
// models somebody asked to evict; and gives the desk back when it stands empty. Never touches a
// model with a running call.

#include "core/draft.h"
#include "core/world.h"

namespace hotdesk {

void decide_evictions(const State& state, const Snapshot& seen, Draft& draft);

}  // namespace hotdesk
