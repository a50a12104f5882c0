// SPDX-License-Identifier: MIT
#include "os/host_probe.h"

#include <charconv>
#include <string_view>

#include "os/small_file.h"

namespace hotdesk {
namespace {

// The whole number after `label` and blanks, where `label` begins a line.
std::optional<int64_t> number_after(std::string_view text, std::string_view label) {
    size_t at = text.find(label);
    while (at != std::string_view::npos && at != 0 && text[at - 1] != '\n')
        at = text.find(label, at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + label.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    return number;
}

std::optional<Bytes> kib_after(std::string_view text, std::string_view label) {
    constexpr int64_t kBelievable = int64_t{1} << 52;  // KiB; beyond it the bytes would wrap
    const auto number = number_after(text, label);
    if (!number || *number > kBelievable) return std::nullopt;
    return kib(*number);
}

// The total of a line such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=123".
std::optional<int64_t> stall_total(std::string_view text, std::string_view kind) {
    size_t at = text.starts_with(kind) ? 0 : text.find(std::string("\n").append(kind));
    if (at == std::string_view::npos) return std::nullopt;
    if (at != 0) ++at;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const size_t total = line.find("total=");
    if (total == std::string_view::npos) return std::nullopt;
    return number_after(line.substr(total), "total=");
}

}  // namespace

HostReading read_host(const std::string& proc) {
    HostReading reading;
    if (const auto memory = read_small_file(proc + "/meminfo")) {
        reading.total = kib_after(*memory, "MemTotal:");
        reading.available = kib_after(*memory, "MemAvailable:");
        reading.swap_total = kib_after(*memory, "SwapTotal:");
        reading.swap_free = kib_after(*memory, "SwapFree:");
    }
    if (const auto pressure = read_small_file(proc + "/pressure/memory")) {
        reading.stalled_some_us = stall_total(*pressure, "some ");
        reading.stalled_full_us = stall_total(*pressure, "full ");
    }
    return reading;
}

}  // namespace hotdesk
