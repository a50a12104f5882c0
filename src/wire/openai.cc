// SPDX-License-Identifier: MIT
#include "wire/openai.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/openai_checks.h"

namespace hotdesk::wire {
namespace {

using nlohmann::json;

// nlohmann writes nested values by recursion; no request nests deeper than a JSON schema does, and
// a body of a million brackets would overflow the stack.
constexpr int kDepthMax = 100;
constexpr size_t kInputsMax = 2048;  // OpenAI's own limit for one embeddings request

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
