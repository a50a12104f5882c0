// SPDX-License-Identifier: MIT
#include "cli/simulate_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace hotdesk {
namespace {

// Longer than any day that is simulated: a model is left when its line is empty, however long
// others wait.
constexpr Millis kForEver = hours(24 * 3661);

}  // namespace

Status use_policy(const std::string& name, Policy& policy) {
    if (name.empty()) return {};
    policy.queue = name == "fifo" ? QueuePolicy::kFifo : QueuePolicy::kGba;
    if (name == "gba" || name == "fifo") return {};
    if (name != "grouping")
        return fail(Code::kInvalid,
                    fmt::format("--policy {}: there are gba, fifo and grouping", name));
    policy.gate_age = policy.visit_max = kForEver;
    policy.linger = policy.hold = policy.preload = Millis{};
    return {};
}

std::string name_of(const Policy& policy) {
    if (policy.queue == QueuePolicy::kFifo) return "fifo";
    return policy.gate_age == kForEver ? "grouping" : "gba";
}

Status turn_knob(const std::string& text, Policy& policy) {
    size_t equals = std::min(text.find('='), text.size());
    std::string key = text.substr(0, equals);
    auto value = parse_duration(equals < text.size() ? text.substr(equals + 1) : "");
    if (!value) return fail(Code::kInvalid, fmt::format("--set {}: write KEY=DURATION", text));
    if (key == "gate_age") return policy.gate_age = *value, Status{};
    if (key == "linger") return policy.linger = *value, Status{};
    if (key == "preload") return policy.preload = *value, Status{};
    if (key == "hold") return policy.hold = *value, Status{};
    if (key == "visit_max") return policy.visit_max = *value, Status{};
    return fail(
        Code::kInvalid,
        fmt::format("--set {}: there are gate_age, linger, hold, preload and visit_max", text));
}

std::vector<NamedPolicy> compared_policies(const Policy& own) {
    Policy staggered = own, together = own;
    if (own.stagger == Millis{}) staggered.stagger = Policy{}.stagger;
    together.stagger = {};
    std::vector<NamedPolicy> all = {{"gba", "gba", staggered},
                                    {"gba without stagger", "gba", together},
                                    {"grouping", "grouping", staggered},
                                    {"fifo", "fifo", staggered}};
    for (NamedPolicy& one : all) HD_CHECK(use_policy(one.option, one.policy));
    return all;
}

}  // namespace hotdesk
