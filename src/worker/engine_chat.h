// SPDX-License-Identifier: MIT
#pragma once
// Chat templates: messages and tools become a prompt and a grammar, and what the model wrote
// becomes content and tool calls. llama-common does the work; its exceptions end in the .cc.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine.h"
#include "worker/engine_sampler.h"
#include "worker/request.h"

namespace hotdesk::worker {

// Turns the growing text of one answer into OpenAI deltas: {"content": ...},
// {"reasoning_content": ...}, {"tool_calls": [...]}. A text that does not parse as the template
// expects is passed on as content; it is never an error.
class AnswerReader {
  public:
    enum class Ending {
        kNotYet,
        kWhole,  // the model ended it
        kCut,    // by a limit: half a tool call is to be expected
    };

    AnswerReader();  // passes text on as {"text": ...}, for completions
    AnswerReader(AnswerReader&&) noexcept;
    AnswerReader& operator=(AnswerReader&&) noexcept;
    ~AnswerReader();

    // Takes the next piece of text. Returns the deltas that it makes certain.
    std::vector<nlohmann::json> read(std::string_view text, Ending ending);

    bool has_tool_calls() const;

  private:
    friend class ChatTemplates;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct ChatPrompt {
    std::string text;
    Constraint constraint;
    std::string forced;  // the answer must begin with this: a required tool call
    std::vector<std::string> stops;
    AnswerReader reader;
};

class ChatTemplates {
  public:
    // Uses the model's own template; without one, or with one that cannot be read, ChatML.
    // Errors: kInternal if even that fails.
    static Result<ChatTemplates> make(const Engine& engine);
    ChatTemplates(ChatTemplates&&) noexcept;
    ~ChatTemplates();

    // Requires: `body` passed parse_request, which made `request` of it.
    // Errors: "bad_schema", "template_refused" (the template's own complaint, for example that
    // roles must alternate), "invalid_request" (tool_choice names no tool).
    Asked<ChatPrompt> apply(const nlohmann::json& body, const Request& request) const;

  private:
    struct Impl;
    explicit ChatTemplates(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// The grammar of a JSON schema. Errors: "bad_schema".
Asked<Constraint> schema_constraint(const std::string& schema);

}  // namespace hotdesk::worker
