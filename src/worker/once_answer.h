// SPDX-License-Identifier: MIT
#pragma once
// For --once: a request body becomes a call, and the frames that answer it become the one object
// that OpenAI's API returns without streaming. Pure.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/frames.h"

namespace hotdesk::worker {

// The kind follows from the body: "messages", "prompt" or "input".
// Errors: kInvalid.
Result<wire::Generate> once_call(std::string_view body);

nlohmann::json once_error(const Error& error);

class OnceAnswer {
  public:
    explicit OnceAnswer(wire::CallKind kind) : kind_(kind) {}

    void take(const wire::FromWorker& frame);
    std::optional<Error> error() const { return error_; }
    std::string json_text() const;  // one line

  private:
    void add(const nlohmann::json& delta);
    nlohmann::json choice() const;

    wire::CallKind kind_;
    nlohmann::json message_ = {{"role", "assistant"}, {"content", ""}};
    nlohmann::json logprobs_;
    wire::Finished finished_;
    std::optional<Error> error_;
};

}  // namespace hotdesk::worker
