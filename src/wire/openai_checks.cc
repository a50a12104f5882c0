// SPDX-License-Identifier: MIT
#include "wire/openai_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hotdesk::wire {
namespace {

using nlohmann::json;

constexpr size_t kStopsMax = 16;

void check_stop(Checker& check) {
    const json* stop = check.find("stop");
    if (!stop || stop->is_string()) return;
    if (!stop->is_array())
        return static_cast<void>(
            check.wrong_type("stop", *stop, "a string or an array of strings"));
    for (const json& one : *stop)
        if (!one.is_string())
            return static_cast<void>(
                check.wrong_type("stop", one, "a string or an array of strings"));
    if (stop->size() > kStopsMax)
        check.wrong_value("stop", fmt::format("has {} strings, at most {} are possible",
                                              stop->size(), kStopsMax));
}

}  // namespace

bool Checker::complain(ApiError error) {
    if (!error_) error_ = std::move(error);
    return false;
}

bool Checker::wrong_type(const std::string& param, const json& value, std::string_view wanted) {
    return complain({400,
                     "wrong_type",
                     fmt::format("{} is {}, not {}", param, value.type_name(), wanted),
                     param,
                     {}});
}

bool Checker::wrong_value(const std::string& param, std::string message) {
    return complain({400, "wrong_value", fmt::format("{} {}", param, message), param, {}});
}

bool Checker::missing(const std::string& param) {
    return complain({400, "missing", fmt::format("{} is missing", param), param, {}});
}

bool Checker::unsupported(const std::string& param, std::string message) {
    return complain({400, "unsupported", fmt::format("{} {}", param, message), param, {}});
}

const json* Checker::find(const char* key) const {
    const auto it = body_.find(key);
    return it == body_.end() ? nullptr : &*it;
}

bool Checker::boolean(const char* key) {
    const json* value = find(key);
    if (!value) return false;
    if (!value->is_boolean()) return wrong_type(key, *value, "a boolean");
    return value->get<bool>();
}

std::string Checker::text(const char* key) {
    const json* value = find(key);
    if (!value) return {};
    if (!value->is_string()) wrong_type(key, *value, "a string");
    return value->is_string() ? value->get<std::string>() : std::string{};
}

void Checker::number(const char* key, double min, double max) {
    const json* value = find(key);
    if (!value) return;
    if (!value->is_number()) return static_cast<void>(wrong_type(key, *value, "a number"));
    const double got = value->get<double>();
    if (!(got >= min && got <= max))
        wrong_value(key, fmt::format("is {}, outside {} to {}", value->dump(), min, max));
}

void Checker::integer(const char* key, int64_t min, int64_t max) {
    const json* value = find(key);
    if (!value) return;
    if (!value->is_number_integer())
        return static_cast<void>(wrong_type(key, *value, "an integer"));
    const bool is_huge =
        value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
    const int64_t got = is_huge ? INT64_MAX : value->get<int64_t>();
    if (is_huge || got < min || got > max)
        wrong_value(key, fmt::format("is {}, outside {} to {}", value->dump(), min, max));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

void check_sampling(Checker& check) {
    constexpr int64_t kTokensMax = INT32_MAX;
    check.integer("max_tokens", 1, kTokensMax);
    check.integer("max_completion_tokens", 1, kTokensMax);
    check.number("temperature", 0, 2);
    check.number("top_p", 0, 1);
    check.integer("top_k", 0, kTokensMax);
    check.number("min_p", 0, 1);
    check.number("presence_penalty", -2, 2);
    check.number("frequency_penalty", -2, 2);
    check.integer("seed", INT64_MIN, INT64_MAX);
    check.text("user");
    check_stop(check);
    if (const json* bias = check.find("logit_bias"); bias && !bias->is_object())
        check.wrong_type("logit_bias", *bias, "an object");
    check.integer("n", 1, 128);
    if (const json* n = check.find("n"); n && check.ok() && *n != 1)
        check.unsupported("n", "is more than 1: send the request again for another answer");
}

void check_stream(Checker& check, ApiCall& call) {
    call.is_stream = check.boolean("stream");
    const json* options = check.find("stream_options");
    if (!options) return;
    if (!options->is_object())
        return static_cast<void>(check.wrong_type("stream_options", *options, "an object"));
    const auto usage = options->find("include_usage");
    if (usage == options->end() || usage->is_null()) return;
    if (!usage->is_boolean())
        return static_cast<void>(
            check.wrong_type("stream_options.include_usage", *usage, "a boolean"));
    call.include_usage = usage->get<bool>();
}

}  // namespace hotdesk::wire
