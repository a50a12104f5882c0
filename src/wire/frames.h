// SPDX-License-Identifier: MIT
#pragma once
// What the daemon and a worker say to each other: one JSON object a line over a Unix socket,
// both ways, several requests at a time. Encode and decode only; the sockets live in backend/
// and worker/. A parked context never travels here: it is a file that both sides can name.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk::wire {

// ---- daemon to worker -------------------------------------------------------------------------

enum class CallKind { kChat, kCompletion, kEmbedding };

// Starts one call. `body` is the client's OpenAI request, checked for types by the gateway; the
// worker reads messages, tools, response_format, sampling and limits from it and ignores `model`
// and `stream`. `context` names the KV context to continue (one per agent), "" for none.
struct Generate {
    uint64_t id = 0;
    CallKind kind = CallKind::kChat;
    std::string context;
    nlohmann::json body;
};
// The client hung up; answered by Finished or Broken.
struct Cancel {
    uint64_t id = 0;
};
// Writes the context to a file, frees its cells.
struct Park {
    std::string context, path;
};
// Reads it back.
struct Restore {
    std::string context, path;
};
// Forgets it.
struct Drop {
    std::string context;
};
// Answered by Stats.
struct AskStats {};
// Finish nothing, free everything, exit 0.
struct Quit {};

using ToWorker = std::variant<Generate, Cancel, Park, Restore, Drop, AskStats, Quit>;

// ---- worker to daemon -------------------------------------------------------------------------

// Load progress, at most 20 a load.
struct Loading {
    int permille = 0;
};

// The model is loaded and the worker takes calls. Bytes are the engine's own breakdown.
struct Ready {
    Bytes device_bytes, host_bytes;  // weights + KV + compute, as allocated
    Tokens context;                  // cells in the KV pool
    int slots = 0;                   // sequences decoded together
    int layers = 0, layers_on_device = 0;
    std::string engine;  // llama_version()
};
// It could not be loaded; the worker exits.
struct LoadFailed {
    Error error;
};

// A piece of the answer, in the shape of OpenAI's `choices[0].delta` ({"content":"..."} or
// {"tool_calls":[...]}); for a completion {"text":"..."}. Complete UTF-8 only. logprobs: null, or
// {"content":[...]} as OpenAI has it.
struct Delta {
    uint64_t id = 0;
    nlohmann::json delta;
    nlohmann::json logprobs;
};

// The call ended well. finish_reason: "stop", "length", "tool_calls" or "cancelled".
// cached: prompt tokens that were already in the KV context and were not computed again.
// embedding is filled for CallKind::kEmbedding: one array of numbers for each input.
struct Finished {
    uint64_t id = 0;
    std::string finish_reason;
    Tokens prompt, cached, completion;
    Millis prefill, decode;  // time spent in each phase
    nlohmann::json embedding;
};

// The call failed; the worker lives. `reason` is machine-readable, for example
// "context_length_exceeded", "kv_full", "bad_schema"; numbers holds what decided it,
// for example {"prompt_tokens": 5000, "context": 4096}.
struct Broken {
    uint64_t id = 0;
    Error error;
    std::string reason;
    nlohmann::json numbers;
};
struct Parked {
    std::string context;
    Bytes bytes;
    Tokens tokens;
};
struct Restored {
    std::string context;
    Tokens tokens;
};
// A Park or Restore did not work.
struct ContextFailed {
    std::string context;
    Error error;
};
struct Stats {
    int running = 0, waiting = 0;
    Tokens cells_used, cells;  // of the KV pool
    int contexts = 0;
    uint64_t prefill_tokens = 0, decode_tokens = 0, cached_tokens = 0;  // since load
};

using FromWorker = std::variant<Loading, Ready, LoadFailed, Delta, Finished, Broken, Parked,
                                Restored, ContextFailed, Stats>;

// One line, with its '\n'. Invalid UTF-8 is replaced, never thrown.
std::string encode(const ToWorker& frame);
std::string encode(const FromWorker& frame);

// The line may end in '\n' or not. Errors: kInvalid says which key is missing or has which type.
Result<ToWorker> decode_to_worker(std::string_view line);
Result<FromWorker> decode_from_worker(std::string_view line);

// Longest line either side accepts: a 64 MiB request body, escaped. A longer one ends the
// connection.
inline constexpr size_t kLineBytesMax = size_t{128} << 20;

}  // namespace hotdesk::wire
