// SPDX-License-Identifier: MIT
#pragma once
// A TOML document as plain values that know where they stand. The TOML library stays in the .cc;
// config/reader.cc turns the tree into a Config.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hotdesk {

// Line and column count from 1; a file that is missing or empty has line 0.
struct FilePlace {
    std::string file;
    int64_t line = 0;
    int64_t column = 0;

    friend auto operator<=>(const FilePlace&, const FilePlace&) = default;
};

struct TomlNode {
    enum class Kind { kBool, kInteger, kFloat, kText, kTime, kList, kTable };

    Kind kind = Kind::kTable;
    FilePlace at;
    std::string name;  // in the table that holds it
    bool boolean = false;
    int64_t integer = 0;
    std::string text;
    std::vector<TomlNode> items;    // kList
    std::vector<TomlNode> members;  // kTable, in the order of their names

    // Returns: the member of that name, or nullptr.
    const TomlNode* find(std::string_view wanted) const;
};

// "a number", "a list", ... for messages.
std::string_view describe(TomlNode::Kind kind);

// One thing that is wrong, and where.
struct Problem {
    FilePlace at;
    std::string message;
};

// Reads a document; a broken one answers false and one problem: the reader stops at the first.
bool read_toml(std::string_view text, const std::string& file, TomlNode& root, Problem& problem);

}  // namespace hotdesk
