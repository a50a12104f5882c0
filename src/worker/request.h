// SPDX-License-Identifier: MIT
#pragma once
// Reads a client's OpenAI request body into what the worker needs, and says what is wrong with
// it. Pure: no engine. The chat template reads messages and tools from the body itself; they
// are only checked here, because the template engine answers bad shapes with exceptions.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "wire/frames.h"

namespace hotdesk::worker {

using Token = int32_t;  // an index into the model's vocabulary

// Why a call is answered by Broken: see wire::Broken for the fields.
struct Refusal {
    Error error;
    std::string reason;
    nlohmann::json numbers = nlohmann::json::object();
};
template <class T>
using Asked = tl::expected<T, Refusal>;

inline tl::unexpected<Refusal> refuse(std::string reason, std::string message,
                                      nlohmann::json numbers = nlohmann::json::object()) {
    return tl::unexpected(
        Refusal{{Code::kInvalid, std::move(message)}, std::move(reason), std::move(numbers)});
}

// How a token is chosen. The defaults are the engine's own.
struct Sampling {
    std::optional<uint32_t> seed;  // none: random
    double temperature = 0.8;      // 0: always the likeliest token
    double top_p = 0.95, min_p = 0.05;
    int top_k = 40;
    double frequency_penalty = 0, presence_penalty = 0, repeat_penalty = 1;
    int penalty_window = 64;             // "repeat_last_n": tokens the penalties look back on
    std::map<Token, double> logit_bias;  // not yet checked against the vocabulary
    bool ignore_eos = false;             // never end by itself; for measurements
};

struct Request {
    int64_t max_tokens = -1;  // -1: as far as the context goes
    std::vector<std::string> stops;
    Sampling sampling;
    std::optional<int> top_logprobs;  // none: no logprobs; 0: the chosen token's only
    std::string schema;               // JSON schema the answer must match, "" for none
    std::variant<std::string, std::vector<Token>> prompt;               // completions only
    std::vector<std::variant<std::string, std::vector<Token>>> inputs;  // embeddings only
};

// Errors: reasons "invalid_request" (wrong type, out of range: the message names the key),
// "unsupported_parameter" (n > 1, images, ...), "bad_schema" (not an object, nested too deep).
Asked<Request> parse_request(wire::CallKind kind, const nlohmann::json& body);

// Nothing nested deeper than this is passed on: template and grammar code recurse over it, and a
// body of brackets would overflow the stack. Real tool schemas stay below 20.
inline constexpr int kNestingMax = 64;

}  // namespace hotdesk::worker
