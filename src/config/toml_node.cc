// SPDX-License-Identifier: MIT
#include "config/toml_node.h"

// Without exceptions a broken document is an answer and not a throw.
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>

namespace hotdesk {
namespace {

FilePlace place_of(const toml::source_position& position, const std::string& file) {
    return {file, static_cast<int64_t>(position.line), static_cast<int64_t>(position.column)};
}

// The library bounds the depth of a document at 256 (TOML_MAX_NESTED_VALUES), and so this
// recursion.
TomlNode convert(const toml::node& from, const std::string& file) {
    using Kind = TomlNode::Kind;
    TomlNode node;
    node.at = place_of(from.source().begin, file);
    if (const auto* table = from.as_table()) {
        for (const auto& [name, value] : *table)
            node.members.emplace_back(convert(value, file)).name = name.str();
    } else if (const auto* list = from.as_array()) {
        node.kind = Kind::kList;
        for (const auto& value : *list) node.items.push_back(convert(value, file));
    } else if (const auto* text = from.as_string()) {
        node.kind = Kind::kText;
        node.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
        node.kind = Kind::kInteger;
        node.integer = integer->get();
    } else if (const auto* boolean = from.as_boolean()) {
        node.kind = Kind::kBool;
        node.boolean = boolean->get();
    } else {
        node.kind = from.is_floating_point() ? Kind::kFloat : Kind::kTime;
    }
    return node;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view wanted) const {
    auto found = std::find_if(members.begin(), members.end(),
                              [&](const TomlNode& member) { return member.name == wanted; });
    return found == members.end() ? nullptr : &*found;
}

std::string_view describe(TomlNode::Kind kind) {
    switch (kind) {
        case TomlNode::Kind::kBool: return "true or false";
        case TomlNode::Kind::kInteger: return "a whole number";
        case TomlNode::Kind::kFloat: return "a number with a point";
        case TomlNode::Kind::kText: return "a text in quotes";
        case TomlNode::Kind::kTime: return "a date or a time";
        case TomlNode::Kind::kList: return "a list";
        case TomlNode::Kind::kTable: return "a table";
    }
    return "";
}

bool read_toml(std::string_view text, const std::string& file, TomlNode& root, Problem& problem) {
    const toml::parse_result result = toml::parse(text, file);
    if (!result) {
        problem = {place_of(result.error().source().begin, file),
                   std::string(result.error().description())};
        return false;
    }
    root = convert(result.table(), file);
    return true;
}

}  // namespace hotdesk
