// SPDX-License-Identifier: MIT
#include "core/router.h"

#include <algorithm>

namespace hotdesk {
namespace {

constexpr std::string_view kTaskPrefix = "task:";

const ModelSpec* named(const Fleet& fleet, std::string_view wanted) {
    auto exact = fleet.models.find(ModelName{std::string(wanted)});
    if (exact != fleet.models.end()) return &exact->second;
    for (const auto& [name, spec] : fleet.models)
        if (std::find(spec.aliases.begin(), spec.aliases.end(), wanted) != spec.aliases.end())
            return &spec;
    return nullptr;
}

// Why this model cannot answer, ever; or a Route.
std::variant<Route, NoRoute> check(const ModelSpec& spec, Why why, const Footprint& room) {
    if (!spec.unusable.empty())
        return NoRoute{Code::kUnavailable,
                       {.reason = Reason::kModelUnusable, .who = spec.unusable}};
    bool on_desk = spec.placement == Placement::kDesk;
    Bytes need = on_desk ? spec.need.device : spec.need.host;
    Bytes most = on_desk ? room.device : room.host;
    if (need > most)
        return NoRoute{Code::kNoSpace,
                       {Reason::kCannotFit, need.value, most.value, spec.name.value}};
    return Route{spec.name, std::move(why)};
}

std::variant<Route, NoRoute> route_task(const Fleet& fleet, const std::string& task,
                                        const Footprint& room) {
    auto models = fleet.tasks.find(task);
    if (models == fleet.tasks.end() || models->second.empty())
        return NoRoute{Code::kNotFound,
                       {.reason = Reason::kNoSuchModel, .who = std::string(kTaskPrefix) + task}};
    std::variant<Route, NoRoute> first;
    for (const ModelName& name : models->second) {
        Why why{.reason = Reason::kTaskRoute, .who = "task " + task};
        auto answer = check(fleet.models.at(name), std::move(why), room);
        if (std::holds_alternative<Route>(answer)) return answer;
        if (name == models->second.front()) first = answer;
    }
    return first;
}

}  // namespace

std::variant<Route, NoRoute> route(const Fleet& fleet, std::string_view wanted,
                                   const Footprint& room) {
    if (wanted.starts_with(kTaskPrefix))
        return route_task(fleet, std::string(wanted.substr(kTaskPrefix.size())), room);
    if (const ModelSpec* spec = named(fleet, wanted))
        return check(*spec, {.reason = Reason::kNamed, .who = std::string(wanted)}, room);
    if (fleet.tasks.contains(std::string(wanted)))
        return route_task(fleet, std::string(wanted), room);
    return NoRoute{Code::kNotFound, {.reason = Reason::kNoSuchModel, .who = std::string(wanted)}};
}

Footprint room_for_models(const Policy& policy, const Snapshot& seen) {
    constexpr Bytes kUnknown{INT64_MAX};
    return {is_budget_known(policy, seen) ? desk_budget(policy, seen) : kUnknown,
            seen.host_total ? *seen.host_total - policy.host_reserve : kUnknown};
}

Bytes desk_budget(const Policy& policy, const Snapshot& seen) {
    if (!seen.device_total) return policy.device_budget;
    Bytes whole = std::max(*seen.device_total - policy.device_reserve, Bytes{});
    return policy.device_budget == Bytes{} ? whole : std::min(policy.device_budget, whole);
}

bool is_budget_known(const Policy& policy, const Snapshot& seen) {
    return seen.device_total.has_value() || policy.device_budget > Bytes{};
}

}  // namespace hotdesk
