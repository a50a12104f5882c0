// SPDX-License-Identifier: MIT
#include "wire/openai.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace hotdesk::wire {
namespace {

using nlohmann::json;

// nlohmann writes nested values by recursion; no request nests deeper than a JSON schema does, and
// a body of a million brackets would overflow the stack.
constexpr int kDepthMax = 100;
constexpr size_t kStopsMax = 16;
constexpr size_t kInputsMax = 2048;  // OpenAI's own limit for one embeddings request
constexpr size_t kSchemaNameMax = 64;

// ---- text to JSON ------------------------------------------------------------------------------

bool is_too_deep(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDepthMax) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

// "line 2, column 7" of a byte.
std::string position(std::string_view text, size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t start = before.rfind('\n');
    const size_t column =
        start == std::string_view::npos ? before.size() : before.size() - start - 1;
    return fmt::format("line {}, column {}", line, column);
}

ApiError bad_json(std::string message) {
    return {400, "bad_json", std::move(message), "", {}};
}

ApiResult<json> parse(std::string_view text) {
    if (text.empty()) return tl::unexpected(bad_json("the body is empty: a JSON object is needed"));
    if (is_too_deep(text)) {
        return tl::unexpected(
            bad_json(fmt::format("the body nests deeper than {} levels", kDepthMax)));
    }
    try {
        json out = json::parse(text);
        if (out.is_object()) return out;
        return tl::unexpected(
            bad_json(fmt::format("the body is {}, not an object", out.type_name())));
    } catch (const json::parse_error& error) {
        std::string_view what = error.what();
        const size_t detail =
            what.rfind(": ");  // nlohmann's own position counts bytes of its lexer
        if (const size_t syntax = what.find("syntax error"); syntax != std::string_view::npos)
            what.remove_prefix(syntax);
        else if (detail != std::string_view::npos)
            what.remove_prefix(detail + 2);
        return tl::unexpected(bad_json(
            fmt::format("the body is not JSON: {}: {}", position(text, error.byte), what)));
    } catch (const json::exception& error) {  // a number out of range
        return tl::unexpected(bad_json(fmt::format("the body is not JSON: {}", error.what())));
    }
}

// ---- one value ---------------------------------------------------------------------------------

// The first complaint wins; later checks of the same request are skipped.
class Checker {
  public:
    explicit Checker(json& body) : body_(body) {}

    bool ok() const { return !error_; }
    const ApiError& error() const { return *error_; }

    bool wrong_type(const std::string& param, const json& value, std::string_view wanted) {
        return complain({400,
                         "wrong_type",
                         fmt::format("{} is {}, not {}", param, value.type_name(), wanted),
                         param,
                         {}});
    }
    bool wrong_value(const std::string& param, std::string message) {
        return complain({400, "wrong_value", fmt::format("{} {}", param, message), param, {}});
    }
    bool missing(const std::string& param) {
        return complain({400, "missing", fmt::format("{} is missing", param), param, {}});
    }
    bool unsupported(const std::string& param, std::string message) {
        return complain({400, "unsupported", fmt::format("{} {}", param, message), param, {}});
    }

    const json* find(const char* key) const {
        const auto it = body_.find(key);
        return it == body_.end() ? nullptr : &*it;
    }
    bool boolean(const char* key) {
        const json* value = find(key);
        if (!value) return false;
        if (!value->is_boolean()) return wrong_type(key, *value, "a boolean");
        return value->get<bool>();
    }
    std::string text(const char* key) {
        const json* value = find(key);
        if (!value) return {};
        if (!value->is_string()) wrong_type(key, *value, "a string");
        return value->is_string() ? value->get<std::string>() : std::string{};
    }
    void number(const char* key, double min, double max) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_number()) return static_cast<void>(wrong_type(key, *value, "a number"));
        const double got = value->get<double>();
        if (!(got >= min && got <= max))
            wrong_value(key, fmt::format("is {}, outside {} to {}", value->dump(), min, max));
    }
    void integer(const char* key, int64_t min, int64_t max) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_number_integer())
            return static_cast<void>(wrong_type(key, *value, "an integer"));
        const bool is_huge = value->is_number_unsigned() &&
                             value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
        const int64_t got = is_huge ? INT64_MAX : value->get<int64_t>();
        if (is_huge || got < min || got > max)
            wrong_value(key, fmt::format("is {}, outside {} to {}", value->dump(), min, max));
    }

  private:
    // Returns false, so that a check can end with it.
    bool complain(ApiError error) {
        if (!error_) error_ = std::move(error);
        return false;
    }

    json& body_;
    std::optional<ApiError> error_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// ---- fields shared by chat and completions -----------------------------------------------------

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

// ---- chat --------------------------------------------------------------------------------------

// Content is text, nothing (an assistant that only called tools), or parts. Text parts are joined.
void check_content(Checker& check, const std::string& param, json& content) {
    if (content.is_string() || content.is_null()) return;
    if (!content.is_array())
        return static_cast<void>(
            check.wrong_type(param, content, "a string, null or an array of parts"));
    std::string joined;
    for (size_t i = 0; i < content.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", param, i);
        const json& part = content[i];
        if (!part.is_object()) return static_cast<void>(check.wrong_type(at, part, "an object"));
        const auto type = part.find("type");
        if (type == part.end() || !type->is_string())
            return static_cast<void>(check.wrong_value(at + ".type", "is not a string"));
        if (*type != "text" && *type != "refusal") {
            return static_cast<void>(check.unsupported(
                at + ".type",
                fmt::format("is {}: only text parts are possible",
                            type->dump(-1, ' ', false, json::error_handler_t::replace))));
        }
        const auto text = part.find(type->get<std::string>());
        if (text == part.end() || !text->is_string())
            return static_cast<void>(
                check.wrong_value(at + "." + type->get<std::string>(), "is not a string"));
        joined += text->get<std::string>();
    }
    content = std::move(joined);
}

void check_tool_calls(Checker& check, const std::string& param, const json& calls) {
    if (!calls.is_array()) return static_cast<void>(check.wrong_type(param, calls, "an array"));
    for (size_t i = 0; i < calls.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", param, i);
        if (!calls[i].is_object())
            return static_cast<void>(check.wrong_type(at, calls[i], "an object"));
        const auto function = calls[i].find("function");
        if (function == calls[i].end() || !function->is_object())
            return static_cast<void>(check.wrong_value(at + ".function", "is not an object"));
        for (const char* key : {"name", "arguments"}) {
            const auto value = function->find(key);
            if (value == function->end() || !value->is_string())
                return static_cast<void>(
                    check.wrong_value(fmt::format("{}.function.{}", at, key), "is not a string"));
        }
    }
}

void check_message(Checker& check, const std::string& at, json& message) {
    if (!message.is_object()) return static_cast<void>(check.wrong_type(at, message, "an object"));
    const auto role = message.find("role");
    if (role == message.end()) return static_cast<void>(check.missing(at + ".role"));
    if (!role->is_string())
        return static_cast<void>(check.wrong_type(at + ".role", *role, "a string"));
    const auto& name = role->get_ref<const std::string&>();
    if (!is_one_of(name, {"system", "developer", "user", "assistant", "tool", "function"})) {
        return static_cast<void>(check.wrong_value(
            at + ".role",
            fmt::format("is \"{}\", not system, developer, user, assistant or tool", name)));
    }
    const bool is_assistant = name == "assistant";
    if (const auto calls = message.find("tool_calls"); calls != message.end()) {
        if (calls->is_null())
            message.erase(calls);
        else
            check_tool_calls(check, at + ".tool_calls", *calls);
    }
    const auto content = message.find("content");
    const bool is_absent = content == message.end() || content->is_null();
    if (is_absent && !is_assistant) return static_cast<void>(check.missing(at + ".content"));
    if (!is_absent) check_content(check, at + ".content", *content);
}

void check_messages(Checker& check, json& body) {
    const auto messages = body.find("messages");
    if (messages == body.end()) return static_cast<void>(check.missing("messages"));
    if (!messages->is_array())
        return static_cast<void>(check.wrong_type("messages", *messages, "an array"));
    if (messages->empty())
        return static_cast<void>(check.wrong_value("messages", "is empty: one message is needed"));
    for (size_t i = 0; i < messages->size() && check.ok(); ++i)
        check_message(check, fmt::format("messages[{}]", i), (*messages)[i]);
}

void check_tool(Checker& check, const std::string& at, const json& tool) {
    if (!tool.is_object()) return static_cast<void>(check.wrong_type(at, tool, "an object"));
    if (tool.value("type", json()) != "function")
        return static_cast<void>(
            check.unsupported(at + ".type", "is not \"function\", the only kind there is"));
    const auto function = tool.find("function");
    if (function == tool.end() || !function->is_object())
        return static_cast<void>(check.wrong_value(at + ".function", "is not an object"));
    const json name = function->value("name", json());
    if (!name.is_string() || name == "")
        return static_cast<void>(check.wrong_value(at + ".function.name", "is not a name"));
    if (const auto p = function->find("parameters");
        p != function->end() && !p->is_object() && !p->is_null())
        check.wrong_type(at + ".function.parameters", *p, "an object");
}

void check_tool_choice(Checker& check, json& body, bool has_tools) {
    const auto choice = body.find("tool_choice");
    if (choice == body.end()) return;
    const bool is_word =
        choice->is_string() && is_one_of(choice->get<std::string>(), {"none", "auto", "required"});
    const bool is_named = choice->is_object() && choice->value("function", json()).is_object() &&
                          (*choice)["function"].value("name", json()).is_string();
    if (!is_word && !is_named) {
        return static_cast<void>(check.wrong_value(
            "tool_choice",
            "is not none, auto, required or {\"type\":\"function\",\"function\":{\"name\":..}}"));
    }
    if (has_tools) return;
    if (is_named || *choice == "required")
        check.wrong_value("tool_choice", "asks for a tool, and no tools are given");
    else
        body.erase(choice);
}

// Agent frameworks send "tools": [] when they have none.
void check_tools(Checker& check, json& body) {
    auto tools = body.find("tools");
    if (tools != body.end()) {
        if (!tools->is_array())
            return static_cast<void>(check.wrong_type("tools", *tools, "an array"));
        for (size_t i = 0; i < tools->size() && check.ok(); ++i)
            check_tool(check, fmt::format("tools[{}]", i), (*tools)[i]);
        if (tools->empty()) body.erase(tools);
    }
    check_tool_choice(check, body, body.contains("tools"));
    check.boolean("parallel_tool_calls");
}

void check_response_format(Checker& check) {
    const json* format = check.find("response_format");
    if (!format) return;
    if (!format->is_object())
        return static_cast<void>(check.wrong_type("response_format", *format, "an object"));
    const json type = format->value("type", json());
    if (type == "text" || type == "json_object") return;
    if (type != "json_schema") {
        return static_cast<void>(
            check.wrong_value("response_format.type", "is not text, json_object or json_schema"));
    }
    const json schema = format->value("json_schema", json());
    if (!schema.is_object())
        return static_cast<void>(
            check.wrong_type("response_format.json_schema", schema, "an object"));
    const json name = schema.value("name", json(""));
    if (!name.is_string() || name.get_ref<const std::string&>().size() > kSchemaNameMax)
        return static_cast<void>(check.wrong_value("response_format.json_schema.name",
                                                   "is not a name of at most 64 bytes"));
    if (const json inner = schema.value("schema", json::object()); !inner.is_object())
        check.wrong_type("response_format.json_schema.schema", inner, "an object");
}

void check_chat(Checker& check, json& body, ApiCall& call) {
    check_messages(check, body);
    check_tools(check, body);
    check_response_format(check);
    check_stream(check, call);
    check_sampling(check);
    const bool has_logprobs = check.boolean("logprobs");
    check.integer("top_logprobs", 0, 20);
    if (const json* top = check.find("top_logprobs");
        top && check.ok() && *top != 0 && !has_logprobs)
        check.wrong_value("top_logprobs", "is given without \"logprobs\": true");
}

// ---- completions and embeddings ----------------------------------------------------------------

void check_completion(Checker& check, json& body, ApiCall& call) {
    const auto prompt = body.find("prompt");
    if (prompt == body.end()) return static_cast<void>(check.missing("prompt"));
    if (prompt->is_array() && prompt->size() == 1 && (*prompt)[0].is_string())
        *prompt = json((*prompt)[0]);
    if (prompt->is_array())
        check.unsupported("prompt", "is an array: one string is possible");
    else if (!prompt->is_string())
        check.wrong_type("prompt", *prompt, "a string");
    if (const json* suffix = check.find("suffix"); suffix && *suffix != "")
        check.unsupported("suffix", "is not possible: no text is inserted before a suffix");
    check.boolean("echo");
    check.integer("best_of", 1, 1);
    check.integer("logprobs", 0, 5);
    check_stream(check, call);
    check_sampling(check);
}

void check_embedding(Checker& check, json& body, ApiCall& call) {
    const auto input = body.find("input");
    if (input == body.end()) return static_cast<void>(check.missing("input"));
    if (input->is_string()) *input = json::array({*input});
    if (!input->is_array())
        return static_cast<void>(
            check.wrong_type("input", *input, "a string or an array of strings"));
    if (input->empty() || input->size() > kInputsMax) {
        return static_cast<void>(check.wrong_value(
            "input",
            fmt::format("has {} strings, 1 to {} are possible", input->size(), kInputsMax)));
    }
    for (size_t i = 0; i < input->size(); ++i) {
        const std::string at = fmt::format("input[{}]", i);
        if (!(*input)[i].is_string())
            return static_cast<void>(check.wrong_type(at, (*input)[i], "a string"));
        if ((*input)[i] == "") return static_cast<void>(check.wrong_value(at, "is empty"));
    }
    if (check.find("dimensions"))
        check.unsupported("dimensions", "is not possible: the model's own are used");
    const std::string format = check.text("encoding_format");
    if (!is_one_of(format, {"", "float", "base64"}))
        check.wrong_value("encoding_format", "is not float or base64");
    call.is_base64 = format == "base64";
}

void check_call(Checker& check, ApiCall& call) {
    call.model = check.text("model");
    switch (call.kind) {
        case CallKind::kChat: return check_chat(check, call.body, call);
        case CallKind::kCompletion: return check_completion(check, call.body, call);
        case CallKind::kEmbedding: return check_embedding(check, call.body, call);
    }
}

// Clients write null for "not set".
void drop_nulls(json& body) {
    for (auto it = body.begin(); it != body.end();) {
        if (it->is_null())
            it = body.erase(it);
        else
            ++it;
    }
}

}  // namespace

ApiResult<ApiCall> decode_call(CallKind kind, std::string_view body) {
    auto parsed = parse(body);
    if (!parsed) return tl::unexpected(std::move(parsed).error());
    ApiCall call;
    call.kind = kind;
    call.body = *std::move(parsed);
    drop_nulls(call.body);
    Checker check(call.body);
    check_call(check, call);
    if (!check.ok()) return tl::unexpected(check.error());
    for (const char* ours : {"model", "stream", "stream_options", "encoding_format"})
        call.body.erase(ours);
    return call;
}

std::string_view error_type(int status) {
    switch (status) {
        case 401: return "authentication_error";
        case 403: return "permission_error";
        case 404: return "not_found_error";
        case 429: return "rate_limit_error";
        default: return status >= 500 ? "server_error" : "invalid_request_error";
    }
}

json error_json(const ApiError& error) {
    json inner = error.numbers.is_object() ? error.numbers : json::object();
    inner["message"] = error.message;
    inner["type"] = error_type(error.status);
    inner["param"] = error.param.empty() ? json() : json(error.param);
    inner["code"] = error.code;
    return {{"error", std::move(inner)}};
}

int http_status(Code code) {
    switch (code) {
        case Code::kInvalid: return 400;
        case Code::kNotFound: return 404;
        case Code::kBusy: return 429;
        case Code::kTimeout: return 504;
        case Code::kDenied: return 403;
        case Code::kNoSpace: return 507;
        case Code::kUnavailable: return 503;
        case Code::kInternal: return 500;
    }
    return 500;
}

std::string to_text(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace hotdesk::wire
