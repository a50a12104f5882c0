// SPDX-License-Identifier: MIT
#include "daemon/subject.h"

#include <charconv>

namespace hotdesk {
namespace {

std::optional<uint64_t> number_after(std::string_view prefix, std::string_view text) {
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0) return std::nullopt;
    return value;
}

}  // namespace

std::optional<RunId> parse_run_id(std::string_view text) {
    const auto value = number_after("r-", text);
    return value ? std::optional(RunId{*value}) : std::nullopt;
}

std::optional<CallId> parse_call_id(std::string_view text) {
    const auto value = number_after("c-", text);
    return value ? std::optional(CallId{*value}) : std::nullopt;
}

}  // namespace hotdesk
