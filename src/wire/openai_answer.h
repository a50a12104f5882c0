// SPDX-License-Identifier: MIT
#pragma once
// A worker's answer, put in OpenAI's words: chunks for a client that streams, one object for one
// that does not. Pure: bytes out, no sockets.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "wire/frames.h"
#include "wire/openai.h"

namespace hotdesk::wire {

// What every chunk and the whole object begin with.
struct AnswerHead {
    CallKind kind = CallKind::kChat;
    uint64_t call = 0;
    int64_t created = 0;  // seconds since the Unix epoch
    std::string model;    // the one that answers, whatever the client asked for
};

// Writes the SSE events of one streamed answer. The part that never changes is written once: a
// token costs one encode of its delta.
class ChunkWriter {
  public:
    ChunkWriter() = default;
    explicit ChunkWriter(const AnswerHead& head);

    // "data: {...}\n\n". The first one of a chat says the role.
    std::string delta(const Delta& delta);
    // The chunk with the finish reason, the one with the usage where it was asked for, and [DONE].
    std::string end(const Finished& finished, bool include_usage);

  private:
    std::string chunk(const nlohmann::json& delta, const nlohmann::json& logprobs,
                      const nlohmann::json& finish_reason) const;

    CallKind kind_ = CallKind::kChat;
    std::string prefix_;
    bool has_role_ = false;
};

// Collects the pieces of an answer for a client that wants it whole.
class AnswerBuilder {
  public:
    void add(const Delta& delta);
    void clear() { *this = {}; }
    // The whole object. `is_base64`: how embeddings are written.
    nlohmann::json finish(const AnswerHead& head, const Finished& finished, bool is_base64) const;

  private:
    void add_tool_calls(const nlohmann::json& calls);

    std::string text_;
    std::string reasoning_;
    std::vector<nlohmann::json> tool_calls_;  // by index
    nlohmann::json logprobs_;                 // {"content":[..]} or null
};

// {"prompt_tokens":..,"completion_tokens":..,"total_tokens":..,"prompt_tokens_details":{..}}
nlohmann::json usage_json(const Finished& finished);

// The SSE event of an error, for a stream whose headers are out.
std::string error_event(const ApiError& error);

}  // namespace hotdesk::wire
