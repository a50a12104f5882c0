// SPDX-License-Identifier: MIT
#pragma once
// What an id on the command line or in a path stands for: "r-12" a run, "c-7" a call, anything else
// the name of an agent or a model.

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace hotdesk {

// Nothing when the text is not "r-" or "c-" and a number from 1.
std::optional<RunId> parse_run_id(std::string_view text);
std::optional<CallId> parse_call_id(std::string_view text);

}  // namespace hotdesk
