// SPDX-License-Identifier: MIT
// Which names and addresses mean "this machine": the guard against DNS rebinding.
#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

#include "daemon/http_server.h"

namespace hotdesk::http {
namespace {

// "[::1]:80" -> "::1", "localhost:8111" -> "localhost"; in lower case.
std::string host_name(std::string_view host) {
    std::string_view name = host;
    if (!name.empty() && name.front() == '[') {
        name = name.substr(1, name.find(']') - 1);
    } else if (std::count(name.begin(), name.end(), ':') == 1) {
        name = name.substr(0, name.find(':'));
    }
    std::string out(name);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool is_loopback_name(const std::string& name) {
    if (name == "localhost" || name == "::1") return true;
    in_addr v4{};
    if (inet_pton(AF_INET, name.c_str(), &v4) != 1) return false;
    return (ntohl(v4.s_addr) >> 24) == 127;  // 127.0.0.0/8
}

}  // namespace

bool is_loopback_address(std::string_view address) {
    return address.starts_with("unix:") || is_loopback_name(host_name(address));
}

bool is_host_allowed(std::string_view host, const std::vector<std::string>& own) {
    const std::string name = host_name(host);
    if (is_loopback_name(name)) return true;
    return std::any_of(own.begin(), own.end(),
                       [&](const std::string& address) { return host_name(address) == name; });
}

}  // namespace hotdesk::http
