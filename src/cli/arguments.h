// SPDX-License-Identifier: MIT
#pragma once
// The flags of the short commands (ps, runs, why, ...): what was typed after the command's name.
// The commands with many options of their own use CLI11.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

struct Arguments {
    std::vector<std::string> names;  // what is no flag
    bool is_json = false;            // --json
    bool follow = false;             // -f, --follow
    bool wait = false;               // --wait
    std::string agent;               // --agent NAME
    std::optional<Millis> since;     // --since 1d
    int limit = 50;                  // --limit 20
};

// What a command takes.
struct Syntax {
    std::string_view usage;  // "hotdesk logs AGENT|RUN [-f]"
    size_t names_min = 0, names_max = 0;
    std::string_view flags;  // of --follow, --wait, --agent, --since, --limit; with spaces
};

// Errors: kInvalid says which argument is wrong and how the command is used.
Result<Arguments> parse_arguments(std::span<const std::string> args, const Syntax& syntax);

}  // namespace hotdesk
