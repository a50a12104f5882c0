// SPDX-License-Identifier: MIT
#include "config/value_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "core/cron.h"

namespace hotdesk {
namespace {

constexpr size_t kNameMax = 64;  // names become file names and labels; NAME_MAX is 255
// sun_path has 108 bytes, one of them for the end.
constexpr size_t kSocketPathMax = 107;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_name_of(const std::string& text, std::string_view marks) {
    return !text.empty() && text.size() <= kNameMax && is_alphanumeric(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [&](char c) { return is_alphanumeric(c) || marks.find(c) != marks.npos; });
}

bool is_number_up_to(std::string_view text, int max) {
    if (text.empty() || text.size() > 5 || !std::all_of(text.begin(), text.end(), is_digit))
        return false;
    int value = 0;
    for (char c : text) value = value * 10 + (c - '0');
    return value <= max;
}

// Splits "host:port" at the last colon.
struct Address {
    std::string_view host, port;
};
Address split(std::string_view text) {
    const size_t colon = text.rfind(':');
    if (colon == text.npos) return {text, ""};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_ipv4(std::string_view host) {
    int parts = 0;
    for (size_t begin = 0; begin <= host.size(); ++parts) {
        const size_t end = std::min(host.find('.', begin), host.size());
        if (!is_number_up_to(host.substr(begin, end - begin), 255)) return false;
        begin = end + 1;
    }
    return parts == 4;
}

// Brackets and the characters of an address; the kernel has the last word when it is bound.
bool is_bracketed_ipv6(std::string_view host) {
    if (host.size() < 4 || host.front() != '[' || host.back() != ']') return false;
    const auto inside = host.substr(1, host.size() - 2);
    return inside.find_first_not_of("0123456789abcdefABCDEF:.") == inside.npos &&
           std::count(inside.begin(), inside.end(), ':') >= 2;
}

Status check_socket_path(std::string_view path) {
    if (path.empty())
        return fail(Code::kInvalid, "\"unix:\" needs a path: \"unix:%t/hotdesk/hotdesk.sock\"");
    if (path.size() > kSocketPathMax)
        return fail(Code::kInvalid, fmt::format("the socket path has {} bytes: {} are possible",
                                                path.size(), kSocketPathMax));
    return {};
}

}  // namespace

Status check_name(const std::string& text) {
    if (is_name_of(text, "._-:")) return {};
    return fail(
        Code::kInvalid,
        fmt::format("\"{}\" is not a name: 1 to {} letters, digits and . _ - : beginning with "
                    "a letter or a digit",
                    text, kNameMax));
}

Status check_alias(const std::string& text) {
    if (is_name_of(text, "._-:/")) return {};
    return fail(
        Code::kInvalid,
        fmt::format("\"{}\" is not an alias: 1 to {} letters, digits and . _ - : / beginning "
                    "with a letter or a digit",
                    text, kNameMax));
}

Status check_listen(const std::string& text) {
    if (text.starts_with("unix:")) return check_socket_path(std::string_view(text).substr(5));
    const auto [host, port] = split(text);
    const bool is_host = is_ipv4(host) || is_bracketed_ipv6(host);
    if (is_host && is_number_up_to(port, 65535)) return {};
    return fail(Code::kInvalid,
                fmt::format("\"{}\" is not an address: write \"unix:PATH\", \"127.0.0.1:8111\" or "
                            "\"[::1]:8111\", with a port up to 65535 (0: a free one)",
                            text));
}

bool is_loopback(const std::string& listen) {
    return listen.starts_with("unix:") || listen.starts_with("127.") ||
           listen.starts_with("[::1]:");
}

Status check_device(const std::string& text) {
    if (text == "auto" || text == "none") return {};
    const size_t colon = std::min(text.find(':'), text.size());
    const std::string kind = text.substr(0, colon);
    const std::string rest = colon < text.size() ? text.substr(colon + 1) : "";
    if (kind == "emulated" && !rest.empty()) return {};
    const bool is_probe = kind == "nvml" || kind == "amdgpu" || kind == "vulkan";
    if (is_probe && is_number_up_to(rest, 255)) return {};
    return fail(Code::kInvalid,
                fmt::format("\"{}\" is not a device: write \"auto\", \"none\", \"nvml:0\", "
                            "\"amdgpu:0\", \"vulkan:0\" or \"emulated:PATH\"",
                            text));
}

Status check_schedule(const std::string& text) {
    HD_TRY_VOID(parse_schedule(text));
    return {};
}

Status check_auto_duration(const std::string& text) {
    constexpr Millis kYear = hours(24 * 366);
    if (text == "auto") return {};
    auto duration = parse_duration(text);
    if (duration && *duration <= kYear) return {};
    return fail(
        Code::kInvalid,
        fmt::format("\"{}\" is neither a duration such as \"30s\", at most a year, nor \"auto\"",
                    text));
}

Status check_keep(const std::string& text) {
    if (text == "always") return {};
    if (parse_duration(text)) return {};
    return fail(Code::kInvalid,
                fmt::format("\"{}\" is neither a duration such as \"10m\" nor \"always\"", text));
}

}  // namespace hotdesk
