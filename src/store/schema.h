// SPDX-License-Identifier: MIT
#pragma once
// The tables of the history, and the way from an older layout to this one. Included by store/ only.

#include <string_view>

namespace hotdesk {

// The layout this program writes. PRAGMA user_version holds the layout of a file; 0 is an empty
// one.
inline constexpr int kSchemaVersion = 1;

// The statements that lead from layout `from` to `from + 1`. Requires: 0 <= from < kSchemaVersion.
std::string_view migration(int from);

}  // namespace hotdesk
