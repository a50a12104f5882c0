// SPDX-License-Identifier: MIT
#include "config/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "config/schema.h"

namespace hotdesk {
namespace {

using Json = nlohmann::ordered_json;

// ---- values ------------------------------------------------------------------------------------

// A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
std::string quoted(const std::string& text) {
    std::string out = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    for (size_t at = 0; (at = out.find('\x7f', at)) != out.npos;) out.replace(at, 1, "\\u007f");
    return out;
}

// Exact, in the largest unit that divides it: 5400000 is "90m".
std::string exact_duration(Millis duration) {
    struct Unit {
        int64_t ms;
        std::string_view name;
    };
    constexpr std::array<Unit, 4> units{
        {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}}};
    for (const auto& unit : units)
        if (duration.value >= unit.ms && duration.value % unit.ms == 0)
            return fmt::format("{}{}", duration.value / unit.ms, unit.name);
    return fmt::format("{}ms", duration.value);
}

std::string exact_bytes(Bytes bytes) {
    constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    int64_t value = bytes.value;
    for (; value != 0 && value % 1024 == 0 && i + 1 < names.size(); ++i) value /= 1024;
    return fmt::format("{}{}", value, names[i]);
}

bool is_secret(std::string name) {
    for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    for (auto word : {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"})
        if (name.find(word) != name.npos) return true;
    return false;
}

TextTable without_secrets(TextTable table) {
    for (auto& [name, value] : table)
        if (is_secret(name)) value = "(not shown)";
    return table;
}

std::string to_toml(bool value) {
    return value ? "true" : "false";
}
std::string to_toml(int64_t value) {
    return fmt::format("{}", value);
}
std::string to_toml(Millis value) {
    return quoted(exact_duration(value));
}
std::string to_toml(Bytes value) {
    return quoted(exact_bytes(value));
}
std::string to_toml(const std::string& value) {
    return quoted(value);
}
std::string to_toml(const Texts& values) {
    std::vector<std::string> items;
    for (const auto& value : values) items.push_back(quoted(value));
    return fmt::format("[{}]", fmt::join(items, ", "));
}
std::string to_toml(const TextTable& table) {
    std::vector<std::string> items;
    for (const auto& [name, value] : without_secrets(table))
        items.push_back(fmt::format("{} = {}", quoted(name), quoted(value)));
    return items.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(items, ", "));
}

// ---- config show -------------------------------------------------------------------------------

template <class S>
std::string table_toml(const S& settings) {
    std::string out;
    for (const auto& key : keys_of<S>())
        std::visit(
            [&](auto member) {
                out += fmt::format("{} = {}\n", key.name, to_toml(settings.*member));
            },
            key.member);
    return out;
}

template <class S>
std::string section_toml(std::string_view name, const S& settings) {
    return fmt::format("[{}]\n{}\n", name, table_toml(settings));
}
template <class S>
std::string section_toml(std::string_view name, const std::vector<S>& entries) {
    std::string out;
    for (const auto& entry : entries) out += fmt::format("[[{}]]\n{}\n", name, table_toml(entry));
    return out;
}

void put(Json& out, std::string_view name, Millis value) {
    out[fmt::format("{}_ms", name)] = value.value;
}
void put(Json& out, std::string_view name, Bytes value) {
    out[fmt::format("{}_bytes", name)] = value.value;
}
void put(Json& out, std::string_view name, const TextTable& value) {
    out[std::string(name)] = without_secrets(value);
}
template <class T>
void put(Json& out, std::string_view name, const T& value) {
    out[std::string(name)] = value;
}

template <class S>
Json section_json(const S& settings) {
    Json out = Json::object();
    for (const auto& key : keys_of<S>())
        std::visit([&](auto member) { put(out, key.name, settings.*member); }, key.member);
    return out;
}
template <class S>
Json section_json(const std::vector<S>& entries) {
    Json out = Json::array();
    for (const auto& entry : entries) out.push_back(section_json(entry));
    return out;
}

// ---- doc/config.md -----------------------------------------------------------------------------

std::string_view type_of(bool) {
    return "true or false";
}
std::string_view type_of(int64_t) {
    return "number";
}
std::string_view type_of(Millis) {
    return "duration";
}
std::string_view type_of(Bytes) {
    return "size";
}
std::string_view type_of(const std::string&) {
    return "text";
}
std::string_view type_of(const Texts&) {
    return "list of texts";
}
std::string_view type_of(const TextTable&) {
    return "table of texts";
}

std::string limit(int64_t, int64_t value) {
    return std::to_string(value);
}
std::string limit(Millis, int64_t value) {
    return exact_duration({value});
}
std::string limit(Bytes, int64_t value) {
    return exact_bytes({value});
}

// "1 to 256", "4KiB or more", "`skip`, `queue`, `latest`", or nothing.
template <class T>
std::string allowed(const Rule& rule, const T& value) {
    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, Millis> ||
                  std::is_same_v<T, Bytes>) {
        if (rule.high != Rule{}.high)
            return fmt::format(", {} to {}", limit(value, rule.low), limit(value, rule.high));
        if (rule.low != 0) return fmt::format(", {} or more", limit(value, rule.low));
    }
    if (rule.words.empty()) return "";
    return fmt::format(": `{}`", fmt::join(rule.words, "`, `"));
}

template <class S>
std::string key_row(const Key<S>& key, bool is_entry) {
    const S defaults{};
    return std::visit(
        [&](auto member) {
            const auto& value = defaults.*member;
            const bool must_be_there = is_entry && key.rule.is_required;
            return fmt::format("| `{}` | {}{} | {} | {} |\n", key.name,
                               key.rule.is_path ? "path" : type_of(value), allowed(key.rule, value),
                               must_be_there ? "(required)" : fmt::format("`{}`", to_toml(value)),
                               key.doc);
        },
        key.member);
}

template <class S>
std::string section_doc(const Section<S>& section) {
    std::string out = fmt::format("## [{}]\n\n{}\n\n", section.name, section.doc);
    out += "| key | type | default | |\n|---|---|---|---|\n";
    for (const auto& key : keys_of<S>()) out += key_row(key, false);
    return out + "\n";
}
template <class S>
std::string section_doc(const Section<std::vector<S>>& section) {
    std::string out = fmt::format("## [[{}]]\n\n{}\n\n", section.name, section.doc);
    out += "| key | type | default | |\n|---|---|---|---|\n";
    for (const auto& key : keys_of<S>()) out += key_row(key, true);
    return out + "\n";
}

constexpr std::string_view kIntroduction =
    R"md(<!-- Written by `hotdesk config doc`. Change src/config/schema.cc and run it again. -->
# The config

One TOML file says what this machine serves and which agents it runs. Every key is optional but those
marked "(required)" of an entry; an unknown key is an error. `hotdesk init` writes a first file,
`hotdesk config check` lists everything that is wrong with one (exit code 78), and
`hotdesk config show` prints it with all defaults filled in.

The file is the first of these that is given or there:

1. `--config FILE`
2. `$HOTDESK_CONFIG`
3. `./hotdesk.toml`
4. `$XDG_CONFIG_HOME/hotdesk/hotdesk.toml` (`~/.config` when unset)
5. `/etc/hotdesk/hotdesk.toml`

`agents.d/*.toml` beside it are read too, in the order of their names. They may hold `[[model]]`,
`[[agent]]` and `[[task]]`.

**Durations** have units: `"250ms"`, `"30s"`, `"8m"`, `"1h30m"`, `"1d"`. **Sizes** are bytes or have
units: `"512MiB"`, `"6GiB"`, `"1.5GB"` (kB, MB, GB, TB count in thousands; KiB, MiB, GiB, TiB in 1024).
**Paths** may begin with `~`, `$HOME`, `$XDG_STATE_HOME` and the other XDG directories, or `%t` (the
runtime directory); relative ones start at the directory of the file they stand in.

)md";

constexpr std::string_view kSchedules = R"md(## Schedules

    "*/15 8-20 * * mon-fri"     minute, hour, day of month, month, day of week
    "@hourly"                   also @daily, @midnight, @weekly, @monthly, @yearly, @annually
    "every 20m"                 1s to 366d, counted from 1970-01-01 00:00 UTC, whatever the zone

Each field is `*`, a value, a range `a-b`, a step `*/n`, `a-b/n` or `a/n` (from `a` to the end), or a
list of these with commas. Months and weekdays have names (`jan`, `mon`); 7 is Sunday as 0 is. Ranges
that run backwards (`fri-mon`), seconds, `?`, `L`, `#` and `@reboot` are refused.

When both day fields are restricted, either is enough: `0 12 13 * fri` is noon of each 13th and of
each Friday. A day field that begins with `*`, also `*/2`, does not count as restricted, as in Vixie
cron: then both must match.

When the clock is set forward, a firing inside the hour that does not exist runs once, at the first
instant after it; several of them run once together. When the clock is set back, a firing inside the
hour that comes twice runs once, the first time. A schedule whose hour field begins with `*` follows
real time instead: it runs whenever the clock shows such a time, so every hour has its runs. A day
that a zone leaves out (Apia, 30 December 2011) has no firings. A schedule with no firing within
five years counts as one that never fires again.

When somebody sets the clock back, no firing runs twice: the next one is that after the last that
ran. If it was set back by more than three hours it was wrong before, and all schedules begin anew.

Two other implementations, croner and cron-parser, are compared with this one in
`test/cron_differential`, which names where they differ.
)md";

}  // namespace

std::string config_doc() {
    std::string out(kIntroduction);
    visit_sections([&](const auto& section) { out += section_doc(section); });
    return out + std::string(kSchedules);
}

std::string config_toml(const Config& config) {
    std::string out = fmt::format("# {}\n\n", config.file);
    visit_sections(
        [&](const auto& section) { out += section_toml(section.name, config.*section.member); });
    return out;
}

std::string config_json(const Config& config) {
    Json out{{"schema", 1}, {"file", config.file}};
    visit_sections([&](const auto& section) {
        out[std::string(section.name)] = section_json(config.*section.member);
    });
    return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hotdesk
