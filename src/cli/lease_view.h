// SPDX-License-Identifier: MIT
#pragma once
// The line for a desk as people and programs are shown it; shared by `lease show` and `lease
// break`.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/desk_line.h"

namespace hotdesk {

struct InLine {
    TicketNumber number;
    Ticket ticket;
    Life life = Life::kUnknown;
};

// Everybody in line, dead or alive.
struct DeskView {
    std::string desk;
    std::vector<InLine> line;  // the holder first
};

// Errors: as DeskLine::open().
Result<DeskView> view_desk(const DeskPlace& place);

nlohmann::json to_json(const InLine& entry, int place);

// Printable whatever bytes are in it.
std::string dumped(const nlohmann::json& object);

// By the wall clock, never negative.
Millis time_since(Wall then);

}  // namespace hotdesk
