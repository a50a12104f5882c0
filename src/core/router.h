// SPDX-License-Identifier: MIT
#pragma once
// From what a call asks for to the model that answers it. Agents name a task; the fleet file lists
// the models for it in the order of preference, and the first that can be used here gets the call.

#include <string>
#include <string_view>
#include <variant>

#include "core/world.h"

namespace hotdesk {

struct Route {
    ModelName model;
    Why why;
    friend bool operator==(const Route&, const Route&) = default;
};
struct NoRoute {
    Code code = Code::kNotFound;
    Why why;
    friend bool operator==(const NoRoute&, const NoRoute&) = default;
};

// `wanted` is "task:NAME", a model, or an alias. A model whose file cannot be used, or that could
// never fit in `room`, is passed over for a task and refused when it was named.
std::variant<Route, NoRoute> route(const Fleet& fleet, std::string_view wanted,
                                   const Footprint& room);

// The most that models may ever take of the desk and of RAM; without bound where it is not known.
Footprint room_for_models(const Policy& policy, const Snapshot& seen);

// What models may take of the desk: the configured budget, and never more than the device has
// after the reserve. Zero when neither is known.
Bytes desk_budget(const Policy& policy, const Snapshot& seen);

// Whether anybody knows how large the desk is. While nobody does, nothing is loaded on it and no
// call is refused for its size: a probe that fails for a minute is no reason to turn people away,
// and a desk measured as 0 bytes is.
bool is_budget_known(const Policy& policy, const Snapshot& seen);

}  // namespace hotdesk
