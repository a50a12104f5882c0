// SPDX-License-Identifier: MIT
#pragma once
// The policies that a day can be simulated under, by name.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/spec.h"

namespace hotdesk {

// "gba", "fifo" or "grouping" in place of the fleet's own; "" keeps it. Errors: kInvalid.
Status use_policy(const std::string& name, Policy& policy);

// What a policy is called in a report: "gba", "fifo", or "grouping" for one without patience.
std::string name_of(const Policy& policy);

// "linger=4s": one of the times that the policy goes by. Errors: kInvalid says which there are.
Status turn_knob(const std::string& text, Policy& policy);

struct NamedPolicy {
    std::string name, option;  // in a report, and after --policy
    Policy policy;
};
// What --compare puts side by side, each with the limits and the stagger of `own`, or the usual one
// where that has none.
std::vector<NamedPolicy> compared_policies(const Policy& own);

}  // namespace hotdesk
