// SPDX-License-Identifier: MIT
#include "config/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "config/expand.h"
#include "config/schema.h"

namespace hotdesk {
namespace {

using Kind = TomlNode::Kind;

// Where a value stands and the key it is for.
struct Slot {
    const TomlNode& node;
    std::string name;  // "agent.schedule"
    const Rule& rule;
    Reading& reading;

    void problem(std::string_view message) const {
        reading.problems.push_back({node.at, fmt::format("{}: {}", name, message)});
    }
    bool is(Kind wanted) const {
        if (node.kind == wanted) return true;
        problem(fmt::format("{} is needed, this is {}", describe(wanted), describe(node.kind)));
        return false;
    }
};

std::string unknown(std::string_view what, const std::string& name,
                    const std::vector<std::string>& known) {
    const std::string near = nearest(name, known);
    std::string message = fmt::format("unknown {} \"{}\"", what, name);
    if (!near.empty()) message += fmt::format(": did you mean \"{}\"?", near);
    return message;
}

// ---- single values, one function for each type of member ---------------------------------------

void read_number(const Slot& slot, int64_t value, const std::string& shown_low,
                 const std::string& shown_high, int64_t& out) {
    if (value >= slot.rule.low && value <= slot.rule.high)
        out = value;
    else if (slot.rule.high == Rule{}.high)
        slot.problem(fmt::format("at least {} is needed", shown_low));
    else
        slot.problem(fmt::format("from {} to {} is possible", shown_low, shown_high));
}

void read_value(const Slot& slot, bool& out) {
    if (slot.is(Kind::kBool)) out = slot.node.boolean;
}

void read_value(const Slot& slot, int64_t& out) {
    if (!slot.is(Kind::kInteger)) return;
    read_number(slot, slot.node.integer, std::to_string(slot.rule.low),
                std::to_string(slot.rule.high), out);
}

void read_value(const Slot& slot, Millis& out) {
    if (slot.node.kind == Kind::kInteger) {
        slot.problem(
            fmt::format("{} has no unit: write \"{}s\"", slot.node.integer, slot.node.integer));
        return;
    }
    if (!slot.is(Kind::kText)) return;
    const auto value = parse_duration(slot.node.text);
    if (!value) return slot.problem(value.error().message);
    read_number(slot, value->value, format_duration({slot.rule.low}),
                format_duration({slot.rule.high}), out.value);
}

void read_value(const Slot& slot, Bytes& out) {
    const bool is_number = slot.node.kind == Kind::kInteger;
    if (!is_number && !slot.is(Kind::kText)) return;
    const auto value =
        is_number ? parse_bytes(std::to_string(slot.node.integer)) : parse_bytes(slot.node.text);
    if (!value) return slot.problem(value.error().message);
    read_number(slot, value->value, format_bytes({slot.rule.low}), format_bytes({slot.rule.high}),
                out.value);
}

// A path as it stands in the file, or behind "unix:"; "emulated:" devices are taken as written.
Result<std::string> expanded(const std::string& text, const Reading& reading) {
    const std::string_view scheme = "unix:";
    if (!text.starts_with(scheme)) return expand_path(text, reading.directory, reading.environment);
    HD_TRY(const std::string path, expand_path(std::string_view(text).substr(scheme.size()),
                                               reading.directory, reading.environment));
    return std::string(scheme) + path;
}

bool is_allowed_word(const Slot& slot, const std::string& text) {
    const auto& words = slot.rule.words;
    if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return true;
    slot.problem(fmt::format("\"{}\" is not one of \"{}\"", text, fmt::join(words, "\", \"")));
    return false;
}

void read_value(const Slot& slot, std::string& out) {
    if (!slot.is(Kind::kText) || !is_allowed_word(slot, slot.node.text)) return;
    if (slot.rule.is_required && slot.node.text.empty()) return slot.problem("must not be empty");
    out = slot.node.text;  // kept even if wrong, so that what refers to it is not wrong as well
    // A list of addresses holds host:port beside paths; only what is a path is expanded.
    const bool is_path =
        slot.rule.is_path && (slot.rule.check == nullptr || out.starts_with("unix:"));
    if (is_path) {
        auto path = expanded(out, slot.reading);
        if (!path) return slot.problem(path.error().message);
        out = *path;
    }
    if (slot.rule.check == nullptr) return;
    if (auto checked = slot.rule.check(out); !checked) slot.problem(checked.error().message);
}

void read_value(const Slot& slot, Texts& out) {
    if (!slot.is(Kind::kList)) return;
    if (slot.rule.is_required && slot.node.items.empty()) return slot.problem("must not be empty");
    Rule of_items = slot.rule;
    of_items.is_required = false;  // an argument of a command may be ""
    out.clear();
    for (const auto& item : slot.node.items)
        read_value(Slot{item, slot.name, of_items, slot.reading}, out.emplace_back());
}

void read_value(const Slot& slot, TextTable& out) {
    if (!slot.is(Kind::kTable)) return;
    for (const auto& value : slot.node.members) {
        const std::string& name = value.name;
        if (name.empty() || name.find('=') != name.npos)
            slot.problem(fmt::format("\"{}\" cannot be the name of a variable", name));
        read_value(Slot{value, slot.name + "." + name, slot.rule, slot.reading}, out[name]);
    }
}

// ---- sections ----------------------------------------------------------------------------------

template <class S>
std::vector<std::string> names_of(const std::vector<Key<S>>& keys) {
    std::vector<std::string> names;
    for (const auto& key : keys) names.emplace_back(key.name);
    return names;
}

template <class S>
void read_key(const Key<S>& key, Slot slot, S& out) {
    std::visit([&](auto member) { read_value(slot, out.*member); }, key.member);
}

template <class S>
void read_table(const TomlNode& table, std::string_view section, Reading& reading, S& out) {
    const auto& keys = keys_of<S>();
    const auto key_named = [&](const std::string& name) {
        return std::find_if(keys.begin(), keys.end(),
                            [&](const auto& key) { return key.name == name; });
    };
    for (const auto& value : table.members) {
        const std::string& name = value.name;
        const auto key = key_named(name);
        if (key == keys.end())
            reading.problems.push_back(
                {value.at, fmt::format("{}: {}", section, unknown("key", name, names_of(keys)))});
        else
            read_key(*key, Slot{value, fmt::format("{}.{}", section, name), key->rule, reading},
                     out);
    }
}

// An entry of a [[section]] must have its required keys; in a [section] the default is there.
template <class S>
void require_keys(const TomlNode& table, std::string_view section, Reading& reading) {
    for (const auto& key : keys_of<S>())
        if (key.rule.is_required && table.find(key.name) == nullptr)
            reading.problems.push_back(
                {table.at, fmt::format("{}: needs a {}", section, key.name)});
}

template <class S>
void read_section(const TomlNode& node, std::string_view name, Reading& reading, S& out) {
    if (!reading.is_main)
        reading.problems.push_back({node.at, fmt::format("[{}] belongs into the main file", name)});
    else if (node.kind != Kind::kTable)
        reading.problems.push_back({node.at, fmt::format("{} must be written [{}]", name, name)});
    else
        read_table(node, name, reading, out);
}

template <class S>
void read_section(const TomlNode& node, std::string_view name, Reading& reading,
                  std::vector<S>& out) {
    if (node.kind != Kind::kList) {
        reading.problems.push_back({node.at, fmt::format("{} must be written [[{}]]", name, name)});
        return;
    }
    for (const auto& item : node.items) {
        if (item.kind != Kind::kTable) {
            reading.problems.push_back(
                {item.at, fmt::format("{} must be written [[{}]]", name, name)});
            continue;
        }
        S& entry = out.emplace_back();
        entry.at = item.at;
        read_table(item, name, reading, entry);
        require_keys<S>(item, name, reading);
    }
}

}  // namespace

void read_settings(const TomlNode& root, Reading& reading, Config& config) {
    std::vector<std::string> known;
    const size_t agents_before = config.agents.size();
    visit_sections([&](const auto& section) {
        known.emplace_back(section.name);
        if (const TomlNode* node = root.find(section.name))
            read_section(*node, section.name, reading, config.*section.member);
    });
    for (const auto& value : root.members)
        if (std::find(known.begin(), known.end(), value.name) == known.end())
            reading.problems.push_back({value.at, unknown("section", value.name, known)});
    for (size_t i = agents_before; i < config.agents.size(); ++i)
        if (config.agents[i].dir.empty()) config.agents[i].dir = reading.directory;
}

}  // namespace hotdesk
