// SPDX-License-Identifier: MIT
#include "daemon/http_router.h"

#include <algorithm>
#include <optional>

namespace hotdesk::http {
namespace {

// Takes the next segment off the front: "/a/b" -> "a", leaving "/b".
std::string_view next_segment(std::string_view& path) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

std::optional<std::vector<std::string>> params_of(std::string_view pattern, std::string_view path) {
    std::vector<std::string> params;
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = next_segment(pattern), got = next_segment(path);
        if (wanted == "{}" && !got.empty())
            params.emplace_back(got);
        else if (wanted != got)
            return std::nullopt;
    }
    if (!pattern.empty() || !path.empty()) return std::nullopt;
    return params;
}

}  // namespace

void Router::add(std::string method, std::string pattern, Handler handler) {
    std::erase_if(routes_,
                  [&](const Route& r) { return r.method == method && r.pattern == pattern; });
    routes_.push_back({std::move(method), std::move(pattern), std::move(handler)});
}

Match Router::match(std::string_view method, std::string_view path) const {
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    Match out;
    if (!path.starts_with('/')) return out;
    for (const Route& route : routes_) {
        auto params = params_of(route.pattern, path);
        if (!params) continue;
        if (route.method == wanted) return {&route.handler, std::move(*params), {}};
        out.methods.push_back(route.method);
    }
    return out;
}

}  // namespace hotdesk::http
