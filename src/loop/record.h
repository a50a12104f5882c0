// SPDX-License-Identifier: MIT
#pragma once
// The journal's text: one JSON object a line and a cycle, with what was seen, what happened and
// what was decided. `hotdesk replay` reads it back and decides again.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/action.h"
#include "core/event.h"
#include "core/world.h"
#include "loop/ports.h"

namespace hotdesk {

// A Cycle that owns what it names, as read back.
struct RecordedCycle {
    Snapshot seen;
    std::vector<Event> events;
    std::vector<Decision> decisions;
};

std::string encode_cycle(const Cycle& cycle);  // one line, with its '\n'

// Errors: kInvalid names the field and what was expected there.
Result<RecordedCycle> decode_cycle(std::string_view line);

// {"action":"load_model","model":"writer","why":{"reason":"demand",...}}; also used by `why`, the
// event stream and the log, so that they all speak the same words.
nlohmann::json to_json(const Decision& decision);
std::string_view name_of(const Action& action);
std::string_view name_of(const Event& event);

}  // namespace hotdesk
