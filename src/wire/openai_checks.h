// SPDX-License-Identifier: MIT
#pragma once
// What the checks of a request share: one value of it, and the fields that chat and completions
// both have. For the openai*.cc files alone.

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "wire/openai.h"

namespace hotdesk::wire {

// Looks at the fields of one body and keeps the first complaint.
class Checker {
  public:
    explicit Checker(nlohmann::json& body) : body_(body) {}

    bool ok() const { return !error_; }
    const ApiError& error() const { return *error_; }  // Requires: !ok()

    // Complaints. Return false, so that a check can end with one.
    bool wrong_type(const std::string& param, const nlohmann::json& value, std::string_view wanted);
    bool wrong_value(const std::string& param, std::string message);
    bool missing(const std::string& param);
    bool unsupported(const std::string& param, std::string message);

    // One field, if it is there; what is absent is as good as false, "" or any number.
    const nlohmann::json* find(const char* key) const;
    bool boolean(const char* key);
    std::string text(const char* key);
    void number(const char* key, double min, double max);
    void integer(const char* key, int64_t min, int64_t max);

  private:
    bool complain(ApiError error);

    nlohmann::json& body_;
    std::optional<ApiError> error_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

// max_tokens, temperature, stop, n and the like.
void check_sampling(Checker& check);

// "stream" and its options, into the call.
void check_stream(Checker& check, ApiCall& call);

// The whole of a chat request: wire/openai_chat.cc.
void check_chat(Checker& check, nlohmann::json& body, ApiCall& call);

}  // namespace hotdesk::wire
