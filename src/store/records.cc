// SPDX-License-Identifier: MIT
#include "store/records.h"

#include "loop/record.h"

#include <type_traits>

namespace hotdesk {
namespace {

// Copies the ids and names that an action has; each action has some of the four.
struct Subjects {
    ReasonRecord& record;

    template <class T>
    void operator()(const T& action) const {
        if constexpr (requires { action.run; }) record.run = action.run;
        if constexpr (requires { action.call; }) record.call = action.call;
        if constexpr (requires { action.agent; }) record.agent = action.agent;
        if constexpr (requires { action.model; }) record.model = action.model;
        if constexpr (std::is_same_v<T, SetGate>) record.call = action.through;
    }
};

}  // namespace

std::string_view to_string(ModelChange change) {
    switch (change) {
        case ModelChange::kLoading: return "loading";
        case ModelChange::kLoaded: return "loaded";
        case ModelChange::kUnloaded: return "unloaded";
        case ModelChange::kFailed: return "failed";
        case ModelChange::kCrashed: return "crashed";
    }
    return "failed";
}

ReasonRecord reason_record(Wall at, const Decision& decision) {
    ReasonRecord record{.at = at,
                        .action = std::string(name_of(decision.action)),
                        .run = {},
                        .call = {},
                        .agent = {},
                        .model = {},
                        .why = decision.why};
    std::visit(Subjects{record}, decision.action);
    return record;
}

}  // namespace hotdesk
