// SPDX-License-Identifier: MIT
#include "os/time_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.h"
#include "os/posix_zone.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileBytesMax = 256 << 10;  // the largest in tzdata 2026 has 3.5 KiB
constexpr int kFirstYear = 1970, kLastYear = 2100;

// ---- TZif --------------------------------------------------------------------------------------

// Counts of a TZif header, in the file's order.
struct Counts {
    uint32_t utc_flags, standard_flags, leaps, times, types, name_bytes;
};
constexpr size_t kHeaderBytes = 44;

// Big-endian bytes at `at`. Requires: they are inside `data`.
uint64_t big_endian(std::string_view data, size_t at, size_t count) {
    uint64_t value = 0;
    for (char c : data.substr(at, count)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

std::optional<Counts> read_counts(std::string_view data) {
    if (data.size() < kHeaderBytes || data.substr(0, 4) != "TZif") return std::nullopt;
    auto word = [&](size_t i) { return static_cast<uint32_t>(big_endian(data, 20 + 4 * i, 4)); };
    return Counts{word(0), word(1), word(2), word(3), word(4), word(5)};
}

// Bytes of the data block after a header; `time_bytes` is 4 in version 1 and 8 afterwards.
uint64_t block_bytes(const Counts& c, uint64_t time_bytes) {
    return uint64_t{c.times} * (time_bytes + 1) + uint64_t{c.types} * 6 + c.name_bytes +
           uint64_t{c.leaps} * (time_bytes + 4) + c.standard_flags + c.utc_flags;
}

tl::unexpected<Error> not_tzif(std::string_view name, std::string_view what) {
    return fail(Code::kInvalid, fmt::format("time zone {}: not a TZif file ({})", name, what));
}

// The transitions of the table, in a block that is known to be whole.
Result<Zone> read_table(std::string_view name, std::string_view block, const Counts& counts) {
    const size_t indices = size_t{counts.times} * 8;
    const size_t types = indices + counts.times;
    auto offset_of = [&](size_t type) {
        return seconds(static_cast<int32_t>(big_endian(block, types + 6 * type, 4)));
    };
    Zone zone{std::string(name), offset_of(0), {}};
    for (size_t i = 0; i < counts.times; ++i) {
        const auto at = static_cast<int64_t>(big_endian(block, 8 * i, 8));
        const auto type = static_cast<unsigned char>(block[indices + i]);
        if (type >= counts.types) return not_tzif(name, "a transition to a type that is not there");
        // zic writes a first transition "at the big bang": it is the base.
        if (at < std::numeric_limits<int64_t>::min() / 1000)
            zone.base = offset_of(type);
        else if (at > std::numeric_limits<int64_t>::max() / 1000)
            break;
        else
            zone.changes.push_back({Wall{at * 1000}, offset_of(type)});
    }
    return zone;
}

int year_of(Wall at) {
    using namespace std::chrono;
    const sys_days day = floor<days>(sys_time<milliseconds>(milliseconds(at.ms)));
    return static_cast<int>(year_month_day(day).year());
}

// Appends the years after the table.
void extend(Zone& zone, const PosixRule& rule) {
    const Wall last =
        zone.changes.empty() ? Wall{std::numeric_limits<int64_t>::min()} : zone.changes.back().from;
    const int from = zone.changes.empty() ? kFirstYear : std::max(year_of(last), kFirstYear);
    for (const auto& change : changes_of(rule, from, kLastYear))
        if (change.from > last) zone.changes.push_back(change);
}

// What happened before 1970 becomes the base, and changes of nothing but the zone's name go.
void tidy(Zone& zone) {
    std::vector<ZoneChange> kept;
    for (const auto& change : zone.changes) {
        const Millis before = kept.empty() ? zone.base : kept.back().offset;
        if (change.from < Wall{0})
            zone.base = change.offset;
        else if (change.offset != before)
            kept.push_back(change);
    }
    zone.changes = std::move(kept);
}

// ---- names and files ---------------------------------------------------------------------------

bool is_zone_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '/' || c == '_' || c == '-' || c == '+';
    };
    return !name.empty() && name.size() < 128 && name.front() != '/' && name.back() != '/' &&
           std::all_of(name.begin(), name.end(), is_allowed);  // no '.', so no ".."
}

std::optional<std::string> read_file(const fs::path& path) {
    std::error_code ec;
    if (!fs::is_regular_file(path, ec)) return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    std::string data(kFileBytesMax, '\0');
    in.read(data.data(), static_cast<std::streamsize>(data.size()));
    data.resize(static_cast<size_t>(in.gcount()));
    return data;
}

std::vector<std::string> known_names(const fs::path& directory) {
    std::vector<std::string> names;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(directory, ec), end; !ec && it != end;
         it.increment(ec)) {
        const std::string name = it->path().lexically_relative(directory).string();
        // posix/ and right/ hold everything a second and a third time.
        if (name == "posix" || name == "right")
            it.disable_recursion_pending();
        else if (it->is_regular_file(ec) && is_zone_name(name))
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<Zone> load_named(std::string_view name, const ZoneSource& source) {
    if (!is_zone_name(name))
        return fail(
            Code::kInvalid,
            fmt::format("\"{}\" is not a time zone: write a name such as \"Europe/Berlin\", "
                        "\"UTC\" or \"local\"",
                        name));
    if (auto data = read_file(fs::path(source.directory) / name)) return parse_tzif(name, *data);
    if (name == "UTC") return Zone{};  // needs no database
    const auto known = known_names(source.directory);
    if (known.empty())
        return fail(Code::kNotFound, fmt::format("time zone {}: {} holds no zones: install tzdata",
                                                 name, source.directory));
    const std::string near = nearest(name, known);
    return fail(Code::kNotFound,
                fmt::format("time zone {} is unknown{}", name,
                            near.empty() ? " (names are in " + source.directory + ")"
                                         : ": did you mean " + near + "?"));
}

// "/usr/share/zoneinfo/Europe/Berlin" is "Europe/Berlin".
std::string name_in_path(const std::string& path) {
    constexpr std::string_view marker = "zoneinfo/";
    const size_t at = path.rfind(marker);
    return at == path.npos ? "" : path.substr(at + marker.size());
}

Result<Zone> load_tz_variable(std::string tz, const ZoneSource& source) {
    if (tz.front() == ':') tz.erase(0, 1);
    if (const std::string name = name_in_path(tz); !name.empty()) return load_named(name, source);
    if (auto zone = load_named(tz, source)) return zone;
    auto zone = parse_posix_zone("local", tz);
    if (!zone)
        return fail(Code::kInvalid,
                    fmt::format("TZ=\"{}\" is neither a known time zone nor a rule", tz));
    return zone;
}

Result<Zone> load_local(const ZoneSource& source) {
    if (!source.tz.empty()) return load_tz_variable(source.tz, source);
    std::error_code ec;
    const std::string name = name_in_path(fs::read_symlink(source.localtime, ec).string());
    if (!name.empty())
        if (auto zone = load_named(name, source)) return zone;
    if (auto data = read_file(source.localtime)) return parse_tzif("local", *data);
    return Zone{};
}

}  // namespace

ZoneSource system_zone_source() {
    ZoneSource source;
    if (const char* tz = std::getenv("TZ")) source.tz = tz;
    return source;
}

Result<Zone> load_zone(std::string_view name, const ZoneSource& source) {
    return name == "local" ? load_local(source) : load_named(name, source);
}

Result<Zone> parse_tzif(std::string_view name, std::string_view data) {
    const auto first = read_counts(data);
    if (!first) return not_tzif(name, "no header");
    if (data[4] < '2') return not_tzif(name, "version 1");
    const uint64_t skipped = kHeaderBytes + block_bytes(*first, 4);
    if (skipped > data.size()) return not_tzif(name, "truncated");
    data.remove_prefix(skipped);
    const auto counts = read_counts(data);
    if (!counts) return not_tzif(name, "no second header");
    const uint64_t bytes = kHeaderBytes + block_bytes(*counts, 8);
    if (bytes > data.size()) return not_tzif(name, "truncated");
    if (counts->types == 0) return not_tzif(name, "no offset");
    HD_TRY(Zone zone, read_table(name, data.substr(kHeaderBytes), *counts));

    auto footer = data.substr(bytes);
    if (footer.size() < 2 || footer.front() != '\n' || footer.back() != '\n')
        return not_tzif(name, "no rule at its end");
    footer = footer.substr(1, footer.size() - 2);
    if (!footer.empty()) {
        HD_TRY(const PosixRule rule, parse_posix_rule(footer));
        extend(zone, rule);
    }
    tidy(zone);
    return zone;
}

Result<Zone> parse_posix_zone(std::string_view name, std::string_view text) {
    HD_TRY(const PosixRule rule, parse_posix_rule(text));
    Zone zone{std::string(name), seconds(rule.standard_s), {}};
    extend(zone, rule);
    tidy(zone);
    return zone;
}

}  // namespace hotdesk
