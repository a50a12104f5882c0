// SPDX-License-Identifier: MIT
#include "daemon/gateway_keys.h"

#include <algorithm>

namespace hotdesk {
namespace {

// What clients that insist on a key are told to use when they have none.
constexpr std::string_view kUnnamedKey = "hotdesk";

}  // namespace

std::string_view bearer(const http::Request& request) {
    const std::string_view value = request.header("authorization");
    constexpr std::string_view kScheme = "bearer ";
    if (value.size() < kScheme.size()) return {};
    const bool matches =
        std::equal(kScheme.begin(), kScheme.end(), value.begin(), [](char a, char b) {
            return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b + ('a' - 'A')) : b);
        });
    return matches ? value.substr(kScheme.size()) : std::string_view{};
}

std::string take_agent_prefix(std::string& path) {
    if (!path.starts_with("/a/")) return {};
    const size_t end = path.find('/', 3);
    if (end == std::string::npos || end == 3) return {};
    std::string agent = path.substr(3, end - 3);
    path.erase(0, end);
    return agent;
}

KeyRing::KeyRing(std::string token, Millis default_wait)
    : token_(std::move(token)), default_wait_(default_wait) {}

void KeyRing::add(std::string key, CallerIdentity identity) {
    keys_[std::move(key)] = std::move(identity);
}
void KeyRing::remove(const std::string& key) {
    keys_.erase(key);
}

// Takes the same time wherever the difference is, so that a token cannot be guessed byte by byte.
bool KeyRing::is_token(std::string_view key) const {
    if (token_.empty() || key.size() != token_.size()) return false;
    unsigned difference = 0;
    for (size_t i = 0; i < key.size(); ++i)
        difference |= static_cast<unsigned>(static_cast<unsigned char>(key[i] ^ token_[i]));
    return difference == 0;
}

wire::ApiResult<CallerIdentity> KeyRing::identify(const http::Request& request) const {
    std::string path = request.path;
    const std::string agent = take_agent_prefix(path);
    const std::string_view key = bearer(request);
    if (const auto it = keys_.find(key); it != keys_.end()) return it->second;
    CallerIdentity unnamed;
    unnamed.agent = AgentName{agent};
    unnamed.wait = default_wait_;
    if (is_token(key)) return unnamed;
    if (!request.is_local) {
        return tl::unexpected(wire::ApiError{
            401,
            "token_needed",
            "calls from another machine need \"Authorization: Bearer TOKEN\" with the token of the "
            "config's [server] section",
            "",
            {}});
    }
    if (key.empty() || key == kUnnamedKey) return unnamed;
    return tl::unexpected(wire::ApiError{401,
                                         "unknown_key",
                                         "this key belongs to no run that is alive: use the "
                                         "OPENAI_API_KEY that the run was given, or "
                                         "the key \"hotdesk\" for an unnamed call",
                                         "",
                                         {}});
}

bool KeyRing::may_control(const http::Request& request) const {
    return request.is_local || is_token(bearer(request));
}

}  // namespace hotdesk
