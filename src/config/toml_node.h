// SPDX-License-Identifier: MIT
#pragma once
// A TOML document as plain values that know where they stand. The TOML library stays in the .cc;
// config/reader.cc turns the tree into a Config.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hotdesk {

// Line and column count from 1; a file that is missing or empty has line 0.
struct Place {
    std::string file;
    int64_t line = 0;
    int64_t column = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

struct TomlNode {
    enum class Kind { kBool, kInteger, kFloat, kText, kTime, kList, kTable };

    Kind kind = Kind::kTable;
    Place at;
    bool boolean = false;
    int64_t integer = 0;
    std::string text;
    std::vector<TomlNode> items;                            // kList
    std::vector<std::pair<std::string, TomlNode>> members;  // kTable, in the order of their names

    // Returns: the member of that name, or nullptr.
    const TomlNode* find(std::string_view name) const;
};

// "a number", "a list", ... for messages.
std::string_view describe(TomlNode::Kind kind);

// One thing that is wrong, and where.
struct Problem {
    Place at;
    std::string message;
};

// Reads a document; a broken one answers false and one problem: the reader stops at the first.
bool read_toml(std::string_view text, const std::string& file, TomlNode& root, Problem& problem);

}  // namespace hotdesk
