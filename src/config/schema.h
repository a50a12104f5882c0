// SPDX-License-Identifier: MIT
#pragma once
// Every key of the config, once: its name, its member in Config, what it may hold and what it is
// for. The table drives reading, `hotdesk config show` and doc/config.md; the type and the default
// come from the member itself, so they are never written twice.

#include <limits>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/config.h"

namespace hotdesk {

// What a value must satisfy, beside its type.
struct Rule {
    int64_t low = 0;  // of numbers, bytes, and durations in milliseconds
    int64_t high = std::numeric_limits<int64_t>::max();
    std::span<const std::string_view> words = {};        // if any: one of these
    Status (*check)(const std::string& text) = nullptr;  // of the text, or of each in a list
    bool is_required = false;
    bool is_path = false;  // ~, %t and $XDG_... are expanded, relative ones made absolute
};

template <class S>
using Member = std::variant<bool S::*, int64_t S::*, Millis S::*, Bytes S::*, std::string S::*,
                            Texts S::*, TextTable S::*>;

template <class S>
struct Key {
    std::string_view name;
    Member<S> member;
    Rule rule;
    std::string_view doc;
};

// Returns: the keys of a section, in the order of the documentation.
template <class S>
const std::vector<Key<S>>& keys_of();
template <>
const std::vector<Key<ServerSettings>>& keys_of();
template <>
const std::vector<Key<GpuSettings>>& keys_of();
template <>
const std::vector<Key<HostSettings>>& keys_of();
template <>
const std::vector<Key<FleetSettings>>& keys_of();
template <>
const std::vector<Key<QueueSettings>>& keys_of();
template <>
const std::vector<Key<LogSettings>>& keys_of();
template <>
const std::vector<Key<HistorySettings>>& keys_of();
template <>
const std::vector<Key<RunLogSettings>>& keys_of();
template <>
const std::vector<Key<ModelSettings>>& keys_of();
template <>
const std::vector<Key<AgentSettings>>& keys_of();
template <>
const std::vector<Key<TaskSettings>>& keys_of();

// A section of the file: [name], or [[name]] as often as wanted.
template <class T>
struct Section {
    std::string_view name;
    T Config::*member;
    std::string_view doc;
};

// Calls visitor(section) for each section, in the order of the documentation. The member of a
// [[section]] is a vector.
template <class Visitor>
void visit_sections(Visitor&& visitor) {
    visitor(Section<ServerSettings>{"server", &Config::server,
                                    "Where Hotdesk listens and keeps its state."});
    visitor(
        Section<GpuSettings>{"gpu", &Config::gpu, "The desk: the device that the models share."});
    visitor(Section<HostSettings>{"host", &Config::host, "The machine's own memory."});
    visitor(Section<FleetSettings>{"fleet", &Config::fleet, "What holds for all agents."});
    visitor(Section<QueueSettings>{"queue", &Config::queue, "Calls that wait for a model."});
    visitor(Section<LogSettings>{"log", &Config::log, "The daemon's own log, on stderr."});
    visitor(Section<HistorySettings>{"history", &Config::history, "Runs and calls that are over."});
    visitor(Section<RunLogSettings>{"logs", &Config::logs, "What agents print."});
    visitor(Section<std::vector<ModelSettings>>{
        "model", &Config::models, "A GGUF file that agents may use. Repeat `[[model]]` for each."});
    visitor(Section<std::vector<AgentSettings>>{
        "agent", &Config::agents,
        "A command that runs on a schedule. Repeat `[[agent]]` for each."});
    visitor(Section<std::vector<TaskSettings>>{
        "task", &Config::tasks,
        "What a call may ask for instead of a model. Repeat `[[task]]` for each."});
}

}  // namespace hotdesk
