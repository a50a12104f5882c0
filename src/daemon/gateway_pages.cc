// SPDX-License-Identifier: MIT
#include "daemon/gateway_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/gateway_place.h"

namespace hotdesk {
namespace {

using nlohmann::json;

json model_json(const std::string& name) {
    return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "hotdesk"}};
}

}  // namespace

http::Response error_page(const wire::ApiError& error) {
    return {.status = error.status, .body = wire::to_text(wire::error_json(error))};
}

http::Response models_page(const State& state) {
    json data = json::array();
    for (const std::string& name : known_names(state.fleet)) data.push_back(model_json(name));
    return {.body = wire::to_text({{"object", "list"}, {"data", std::move(data)}})};
}

http::Response model_page(const State& state, const std::string& name) {
    const auto names = known_names(state.fleet);
    if (std::binary_search(names.begin(), names.end(), name))
        return {.body = wire::to_text(model_json(name))};
    return error_page({404,
                       "model_not_found",
                       fmt::format("no model, alias or task is called \"{}\"; known: {}", name,
                                   fmt::join(names, ", ")),
                       "model",
                       {{"known", names}}});
}

http::Response ready_page(const State& state, const Snapshot& seen) {
    const Readiness ready = readiness(state, seen.now);
    return {.status = ready.is_ready ? 200 : 503,
            .content_type = "text/plain",
            .body = (ready.is_ready ? "ready" : ready.reason) + "\n"};
}

}  // namespace hotdesk
