// SPDX-License-Identifier: MIT
#pragma once
// OpenAI's requests, read and checked: every wrong type is found here, with the name of the
// parameter, so that a worker never meets one. Errors are in the shape that OpenAI's own clients
// turn into their exception classes. Answers are in wire/openai_answer.h.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/frames.h"

namespace hotdesk::wire {

// What a client is told. `code` is stable and machine-readable; the numbers are what decided it.
struct ApiError {
    int status = 400;
    std::string code;  // "wrong_type", "context_length_exceeded", ...
    std::string message;
    std::string param;       // "messages[2].content", or "": not about one parameter
    nlohmann::json numbers;  // {"need": .., "have": ..} or null

    friend bool operator==(const ApiError&, const ApiError&) = default;
};

template <class T>
using ApiResult = tl::expected<T, ApiError>;

// One request for a worker.
struct ApiCall {
    CallKind kind = CallKind::kChat;
    std::string model;  // as the client wrote it; "" when it named none
    bool is_stream = false;
    bool include_usage = false;  // a last chunk with the usage
    bool is_base64 = false;      // embeddings as base64 of little-endian floats
    nlohmann::json body;         // for wire::Generate: no nulls, no "tools": [], text parts joined
};

// The body of POST /v1/chat/completions, /v1/completions or /v1/embeddings. Unknown fields are
// kept out of the checks; what is known but not supported (n > 1, images) is refused, not ignored.
// Errors: "bad_json" with line and column, "wrong_type", "wrong_value", "missing", "unsupported".
ApiResult<ApiCall> decode_call(CallKind kind, std::string_view body);

// {"error":{"message":..,"type":..,"param":..,"code":..}}, with the numbers beside them.
nlohmann::json error_json(const ApiError& error);

// 400 -> "invalid_request_error", as OpenAI groups them.
std::string_view error_type(int status);

// kNotFound -> 404; see base/result.h.
int http_status(Code code);

// As one line; invalid UTF-8 is replaced, never thrown.
std::string to_text(const nlohmann::json& value);

}  // namespace hotdesk::wire
