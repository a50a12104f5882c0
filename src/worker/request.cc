// SPDX-License-Identifier: MIT
#include "worker/request.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace hotdesk::worker {
namespace {

using nlohmann::json;
using wire::CallKind;

bool is_nested_deeper(const json& value, int levels) {
    if (!value.is_structured()) return false;
    if (levels == 0) return true;
    for (const json& inner : value) {
        if (is_nested_deeper(inner, levels - 1)) return true;
    }
    return false;
}

// A bound on a number, as the message prints it.
struct Range {
    double low, high;
};

// Reads optional keys of the body; null counts as absent, as OpenAI's clients send it.
// The first problem is kept and asked for at the end.
class Body {
  public:
    explicit Body(const json& body) : body_(body) {}

    const json* find(const char* key) const {
        const auto it = body_.find(key);
        return it == body_.end() || it->is_null() ? nullptr : &*it;
    }
    void number(const char* key, double& into, Range range) {
        const json* value = find(key);
        if (!value) return;
        const bool is_good = value->is_number() && value->get<double>() >= range.low &&
                             value->get<double>() <= range.high;
        if (is_good)
            into = value->get<double>();
        else
            complain(fmt::format("\"{}\" must be a number from {} to {}, and is {}", key, range.low,
                                 range.high, shown(*value)));
    }
    template <class Int>
    bool integer(const char* key, Int& into, Range range) {
        const json* value = find(key);
        if (!value) return false;
        double number = 0.5;
        if (value->is_number()) number = value->get<double>();
        if (number != std::floor(number) || number < range.low || number > range.high) {
            complain(fmt::format("\"{}\" must be an integer from {:.0f} to {:.0f}, and is {}", key,
                                 range.low, range.high, shown(*value)));
            return false;
        }
        into = static_cast<Int>(number);
        return true;
    }
    void boolean(const char* key, bool& into) {
        const json* value = find(key);
        if (!value) return;
        if (value->is_boolean())
            into = value->get<bool>();
        else
            complain(fmt::format("\"{}\" must be true or false", key));
    }
    void complain(std::string what, std::string reason = "invalid_request") {
        if (problem_.empty()) problem_ = std::move(what), reason_ = std::move(reason);
    }
    static std::string shown(const json& value) {
        return value.is_structured() ? value.type_name()
                                     : value.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    bool is_fine() const { return problem_.empty(); }
    tl::unexpected<Refusal> refusal() const { return refuse(reason_, problem_); }

  private:
    const json& body_;
    std::string problem_, reason_;
};

void read_limits(Body& body, CallKind kind, Request& into) {
    // Above 2^31 tokens nothing is meant; -1 is what several clients send for "no limit".
    constexpr Range kTokens{-1, 2147483647};
    if (!body.integer("max_completion_tokens", into.max_tokens, kTokens)) {
        body.integer("max_tokens", into.max_tokens, kTokens);
    }
    if (kind == CallKind::kCompletion && !body.find("max_tokens")) {
        into.max_tokens = into.max_tokens == -1 ? 16 : into.max_tokens;  // as OpenAI has it
    }
    const json* stop = body.find("stop");
    if (!stop) return;
    if (stop->is_string()) {
        into.stops = {stop->get<std::string>()};
    } else if (stop->is_array()) {
        for (const json& one : *stop) {
            if (one.is_string())
                into.stops.push_back(one.get<std::string>());
            else
                body.complain("\"stop\" must be a string or a list of strings");
        }
    } else {
        body.complain("\"stop\" must be a string or a list of strings");
    }
}

void read_logit_bias(Body& body, Sampling& into) {
    const json* bias = body.find("logit_bias");
    if (!bias) return;
    if (!bias->is_object()) return body.complain("\"logit_bias\" must be an object");
    for (const auto& [key, value] : bias->items()) {
        Token token = -1;
        const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token);
        if (error != std::errc{} || end != key.data() + key.size() || !value.is_number()) {
            return body.complain("\"logit_bias\" must give a number for token ids");
        }
        into.logit_bias[token] = value.get<double>();
    }
}

void read_sampling(Body& body, Sampling& into) {
    body.number("temperature", into.temperature, {0, 100});
    body.number("top_p", into.top_p, {0, 1});
    body.number("min_p", into.min_p, {0, 1});
    body.integer("top_k", into.top_k, {-1, 1e6});
    body.number("frequency_penalty", into.frequency_penalty, {-100, 100});
    body.number("presence_penalty", into.presence_penalty, {-100, 100});
    body.number("repeat_penalty", into.repeat_penalty, {0.01, 100});
    body.integer("repeat_last_n", into.penalty_window, {0, 1e6});
    body.boolean("ignore_eos", into.ignore_eos);
    int64_t seed = -1;
    if (body.integer("seed", seed, {-9007199254740992.0, 9007199254740992.0}) && seed != -1) {
        into.seed = static_cast<uint32_t>(seed ^ (seed >> 32));
    }
    read_logit_bias(body, into);
}

void read_logprobs(Body& body, CallKind kind, Request& into) {
    int count = 0;
    if (kind == CallKind::kCompletion) {  // there "logprobs" is the count itself
        if (body.integer("logprobs", count, {0, 20})) into.top_logprobs = count;
        return;
    }
    bool is_wanted = false;
    body.boolean("logprobs", is_wanted);
    const bool has_count = body.integer("top_logprobs", count, {0, 20});
    if (is_wanted)
        into.top_logprobs = count;
    else if (has_count && count > 0)
        body.complain("\"top_logprobs\" needs \"logprobs\": true");
}

void read_schema(Body& body, Request& into) {
    const json* format = body.find("response_format");
    if (!format) return;
    const json type = format->is_object() ? format->value("type", json()) : json();
    if (type == "text") return;
    if (type == "json_object") {
        into.schema = format->value("schema", json{{"type", "object"}}).dump();
        return;
    }
    if (type != "json_schema") {
        return body.complain(
            "\"response_format\".\"type\" must be text, json_object or json_schema");
    }
    const json wrapper = format->value("json_schema", json());
    const json schema = wrapper.is_object() ? wrapper.value("schema", json()) : json();
    if (!schema.is_object()) {
        return body.complain("\"response_format\".\"json_schema\".\"schema\" must be an object",
                             "bad_schema");
    }
    into.schema = schema.dump(-1, ' ', false, json::error_handler_t::replace);
}

void refuse_unsupported(Body& body) {
    int choices = 1;
    body.integer("n", choices, {1, 128});
    body.integer("best_of", choices, {1, 128});
    if (choices > 1) {
        body.complain("\"n\" and \"best_of\" above 1 are not supported: ask several times",
                      "unsupported_parameter");
    }
    for (const char* key : {"suffix", "echo", "functions", "function_call"}) {
        const json* value = body.find(key);
        if (value && *value != false) {
            body.complain(fmt::format("\"{}\" is not supported", key), "unsupported_parameter");
        }
    }
}

bool is_text_content(Body& body, const json& content) {
    if (content.is_string() || content.is_null()) return true;
    if (!content.is_array()) return false;
    for (const json& part : content) {
        if (!part.is_object() || !part.value("type", json()).is_string()) return false;
        if (part.at("type") != "text") {
            body.complain(fmt::format("message content of type {} is not supported: text only",
                                      part.at("type").dump()),
                          "unsupported_parameter");
            return true;
        }
        if (!part.value("text", json()).is_string()) return false;
    }
    return true;
}

void check_messages(Body& body) {
    const json* messages = body.find("messages");
    if (!messages || !messages->is_array() || messages->empty()) {
        return body.complain("\"messages\" must be a list with at least one message");
    }
    for (size_t i = 0; i < messages->size(); ++i) {
        const json& message = (*messages)[i];
        if (!message.is_object() || !message.value("role", json()).is_string()) {
            return body.complain(fmt::format("message {} must be an object with a \"role\"", i));
        }
        const bool has_calls = message.value("tool_calls", json()).is_array();
        if (!has_calls && !message.contains("content")) {
            return body.complain(fmt::format("message {} has no \"content\"", i));
        }
        if (!is_text_content(body, message.value("content", json()))) {
            return body.complain(
                fmt::format("\"content\" of message {} must be a string or text parts", i));
        }
    }
}

void check_tools(Body& body) {
    const json* tools = body.find("tools");
    if (!tools) return;
    if (!tools->is_array()) return body.complain("\"tools\" must be a list");
    for (size_t i = 0; i < tools->size(); ++i) {
        const json& tool = (*tools)[i];
        const json function = tool.is_object() ? tool.value("function", json()) : json();
        if (!function.is_object() || !function.value("name", json()).is_string()) {
            return body.complain(
                fmt::format("tool {} must have a \"function\" with a \"name\"", i));
        }
    }
}

using Text = std::variant<std::string, std::vector<Token>>;

bool is_token_list(const json& value) {
    if (!value.is_array() || value.empty()) return false;
    for (const json& one : value) {
        if (!one.is_number_integer() || one.get<int64_t>() < 0 || one.get<int64_t>() > INT32_MAX) {
            return false;
        }
    }
    return true;
}

// A string, or the ids of tokens.
std::optional<Text> one_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (is_token_list(value)) return value.get<std::vector<Token>>();
    return std::nullopt;
}

void read_prompt(Body& body, Request& into) {
    const json* prompt = body.find("prompt");
    std::optional<Text> text = prompt ? one_text(*prompt) : std::nullopt;
    if (!text && prompt && prompt->is_array() && prompt->size() == 1)
        text = one_text(prompt->front());
    if (text)
        into.prompt = *std::move(text);
    else
        body.complain("\"prompt\" must be one string, or a list with one");
}

void read_inputs(Body& body, Request& into) {
    const json* input = body.find("input");
    if (!input) return body.complain("\"input\" is missing");
    if (auto one = one_text(*input)) {
        into.inputs = {*std::move(one)};
        return;
    }
    for (const json& value : input->is_array() ? *input : json::array()) {
        if (auto one = one_text(value))
            into.inputs.push_back(*std::move(one));
        else
            return body.complain("\"input\" must be a string or a list of strings");
    }
    if (into.inputs.empty()) body.complain("\"input\" must be a string or a list of strings");
}

}  // namespace

Asked<Request> parse_request(CallKind kind, const json& body) {
    Body reader(body);
    Request request;
    if (!body.is_object()) return refuse("invalid_request", "the request must be an object");
    if (is_nested_deeper(body, kNestingMax)) {
        return refuse("invalid_request",
                      fmt::format("the request is nested deeper than {} levels", kNestingMax));
    }
    if (kind == CallKind::kEmbedding) {
        read_inputs(reader, request);
    } else {
        read_limits(reader, kind, request);
        read_sampling(reader, request.sampling);
        read_logprobs(reader, kind, request);
        read_schema(reader, request);
        refuse_unsupported(reader);
    }
    if (kind == CallKind::kChat) check_messages(reader), check_tools(reader);
    if (kind == CallKind::kCompletion) read_prompt(reader, request);
    if (!reader.is_fine()) return reader.refusal();
    return request;
}

}  // namespace hotdesk::worker
