// SPDX-License-Identifier: MIT
#pragma once
// Ids for what comes and goes (runs, calls), names for what the user wrote in the config.
// A RunId is never compared with a CallId, nor an agent's name with a model's.

#include <compare>
#include <cstdint>
#include <string>

namespace hotdesk {

template <class Tag>
struct Id {
    uint64_t value = 0;  // 0 means "none"; real ids start at 1 and only grow

    explicit constexpr operator bool() const { return value != 0; }
    friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

template <class Tag>
struct Name {
    std::string value;

    bool empty() const { return value.empty(); }
    friend auto operator<=>(const Name&, const Name&) = default;
};

using RunId = Id<struct RunTag>;
using CallId = Id<struct CallTag>;
using AgentName = Name<struct AgentTag>;
using ModelName = Name<struct ModelTag>;
using DeskName = Name<struct DeskTag>;

}  // namespace hotdesk
