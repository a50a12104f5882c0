// SPDX-License-Identifier: MIT
#include "worker/engine_chat.h"

#include <chat.h>
#include <fmt/format.h>
#include <json-schema-to-grammar.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <utility>

#include "worker/engine_impl.h"

namespace hotdesk::worker {

using nlohmann::json;

namespace {

common_json to_common(const json& value) {
    return common_json::parse(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string fresh_call_id() {
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static std::random_device random;
    std::string id = "call_";
    for (int i = 0; i < 24; ++i) id += kLetters[random() % kLetters.size()];
    return id;
}

json to_delta(const common_chat_msg_diff& diff) {
    json delta = json::object();
    if (!diff.reasoning_content_delta.empty()) {
        delta["reasoning_content"] = diff.reasoning_content_delta;
    }
    if (!diff.content_delta.empty()) delta["content"] = diff.content_delta;
    if (diff.tool_call_index == std::string::npos) return delta;
    json call = {{"index", diff.tool_call_index},
                 {"function", {{"arguments", diff.tool_call_delta.arguments}}}};
    if (!diff.tool_call_delta.id.empty()) {
        call["id"] = diff.tool_call_delta.id;
        call["type"] = "function";
    }
    if (!diff.tool_call_delta.name.empty()) call["function"]["name"] = diff.tool_call_delta.name;
    delta["tool_calls"] = json::array({std::move(call)});
    return delta;
}

}  // namespace

// ---- the answer --------------------------------------------------------------------------------

struct AnswerReader::Impl {
    const char* plain_key = nullptr;  // not parsed: each piece is a delta under this key
    common_chat_parser_params params;
    std::string text;      // all of it
    common_chat_msg told;  // what the deltas so far add up to
    size_t parse_again_at = 0;
    std::vector<std::string> call_ids;

    // Errors: none; false if the text does not parse, and nothing has changed.
    bool parse(bool is_partial, std::vector<json>& deltas) {
        try {
            common_chat_msg now = common_chat_parse(text, is_partial, params);
            now.set_tool_call_ids(call_ids, fresh_call_id);
            for (const auto& diff : common_chat_msg_diff::compute_diffs(told, now)) {
                if (json delta = to_delta(diff); !delta.empty()) deltas.push_back(std::move(delta));
            }
            told = std::move(now);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    // The rest of the raw text as content, after what has been told already.
    std::vector<json> tell_raw() const {
        const auto same =
            std::mismatch(told.content.begin(), told.content.end(), text.begin(), text.end())
                .second;
        std::string rest(same, text.end());
        if (rest.empty() || !told.tool_calls.empty()) return {};
        return {json{{"content", std::move(rest)}}};
    }
};

AnswerReader::AnswerReader() : impl_(std::make_unique<Impl>()) {
    impl_->plain_key = "text";
}
AnswerReader::AnswerReader(AnswerReader&&) noexcept = default;
AnswerReader& AnswerReader::operator=(AnswerReader&&) noexcept = default;
AnswerReader::~AnswerReader() = default;

bool AnswerReader::has_tool_calls() const {
    return !impl_->told.tool_calls.empty();
}

std::vector<json> AnswerReader::read(std::string_view piece, Ending ending) {
    Impl& a = *impl_;
    if (a.plain_key) {
        if (piece.empty()) return {};
        return {json{{a.plain_key, piece}}};
    }
    a.text += piece;
    std::vector<json> deltas;
    if (ending == Ending::kNotYet) {
        // Each parse starts at the beginning: spaced out in proportion, the sum stays linear.
        if (a.text.size() < a.parse_again_at || piece.empty()) return {};
        a.parse_again_at = a.text.size() + a.text.size() / 32;
        a.parse(/*is_partial=*/true, deltas);
        return deltas;
    }
    if (ending == Ending::kWhole && a.parse(false, deltas)) return deltas;
    if (a.parse(true, deltas) && ending == Ending::kCut) return deltas;
    // The model broke its own format. What it wrote is still an answer.
    for (json& delta : a.tell_raw()) deltas.push_back(std::move(delta));
    return deltas;
}

// ---- the prompt --------------------------------------------------------------------------------

struct ChatTemplates::Impl {
    const Engine* engine = nullptr;
    common_chat_templates_ptr templates;
    std::vector<std::string> stops;
    bool is_plain = false;  // without tools its answers are content and nothing else
};

ChatTemplates::ChatTemplates(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChatTemplates::ChatTemplates(ChatTemplates&&) noexcept = default;
ChatTemplates::~ChatTemplates() = default;

namespace {

common_chat_templates_ptr load_templates(const llama_model* model) {
    try {
        return common_chat_templates_init(model, "");
    } catch (const std::exception& error) {
        fmt::print(stderr, "chat template: cannot be read, using ChatML: {}\n", error.what());
    }
    try {
        return common_chat_templates_init(model, "chatml");
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Where the end of a turn is not one token of this vocabulary, the model writes it as text.
std::vector<std::string> turn_ends_as_text(const Engine& engine, const std::string& source) {
    std::vector<std::string> stops;
    for (const char* end : {"<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>"}) {
        if (source.find(end) == std::string::npos) continue;
        if (engine.tokenize(end, false).size() > 1) stops.emplace_back(end);
    }
    return stops;
}

common_chat_parser_params parser_of(const common_chat_params& params, bool with_tools) {
    common_chat_parser_params parser(params);
    parser.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
    parser.parse_tool_calls = with_tools;
    if (!params.parser.empty()) parser.parser.load(params.parser);
    return parser;
}

// Is an ordinary answer to an ordinary question just its text? Found out by trying.
bool answers_plainly(const common_chat_templates* templates) {
    try {
        common_chat_templates_inputs inputs;
        inputs.messages = {{.role = "user",
                            .content = "Hello",
                            .content_parts = {},
                            .tool_calls = {},
                            .reasoning_content = "",
                            .tool_name = "",
                            .tool_call_id = ""}};
        inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
        const common_chat_params params = common_chat_templates_apply(templates, inputs);
        if (params.supports_thinking) return false;
        const std::string answer = "Hello there";
        return common_chat_parse(answer, false, parser_of(params, false)).content == answer;
    } catch (const std::exception&) {
        return false;
    }
}

GrammarTrigger::Kind to_kind(common_grammar_trigger_type type) {
    switch (type) {
        case COMMON_GRAMMAR_TRIGGER_TYPE_TOKEN: return GrammarTrigger::Kind::kToken;
        case COMMON_GRAMMAR_TRIGGER_TYPE_WORD: return GrammarTrigger::Kind::kWord;
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN: return GrammarTrigger::Kind::kPattern;
        case COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL: return GrammarTrigger::Kind::kWholePattern;
    }
    return GrammarTrigger::Kind::kWord;
}

Constraint to_constraint(const common_chat_params& params) {
    Constraint out{.grammar = params.grammar,
                   .is_lazy = params.grammar_lazy,
                   .generation_prompt = params.generation_prompt,
                   .covers_generation_prompt = true,
                   .triggers = {},
                   .preserved = params.preserved_tokens};
    for (const common_grammar_trigger& trigger : params.grammar_triggers) {
        out.triggers.push_back({to_kind(trigger.type), trigger.value, trigger.token});
    }
    return out;
}

// What tool_choice asks for, in OpenAI's two spellings of it.
struct ToolChoice {
    common_chat_tool_choice kind = COMMON_CHAT_TOOL_CHOICE_AUTO;
    std::string only;  // this function and no other, "" for any
};

Asked<ToolChoice> read_tool_choice(const json& body) {
    const json choice = body.value("tool_choice", json());
    if (choice.is_null() || choice == "auto") return ToolChoice{};
    if (choice == "none") return ToolChoice{COMMON_CHAT_TOOL_CHOICE_NONE, ""};
    if (choice == "required") return ToolChoice{COMMON_CHAT_TOOL_CHOICE_REQUIRED, ""};
    const json function = choice.is_object() ? choice.value("function", json()) : json();
    const json name = function.is_object() ? function.value("name", json()) : json();
    if (name.is_string()) return ToolChoice{COMMON_CHAT_TOOL_CHOICE_REQUIRED, name};
    return refuse("invalid_request", "\"tool_choice\" must be none, auto, required or a function");
}

Asked<std::vector<common_chat_tool>> read_tools(const json& body, const ToolChoice& choice) {
    std::vector<common_chat_tool> tools;
    const json listed = body.value("tools", json());
    if (listed.is_array() && !listed.empty()) {
        tools = common_chat_tools_parse_oaicompat(to_common(listed));
    }
    if (!choice.only.empty()) {
        std::erase_if(tools,
                      [&](const common_chat_tool& tool) { return tool.name != choice.only; });
    }
    if (tools.empty() && choice.kind == COMMON_CHAT_TOOL_CHOICE_REQUIRED) {
        return refuse("invalid_request",
                      choice.only.empty()
                          ? "\"tool_choice\" is required, and there are no tools"
                          : fmt::format("\"tool_choice\" names {}, which is no tool", choice.only));
    }
    return tools;
}

std::map<std::string, std::string> template_arguments(const json& body) {
    std::map<std::string, std::string> arguments;
    const json given = body.value("chat_template_kwargs", json::object());
    if (!given.is_object()) return arguments;
    for (const auto& [key, value] : given.items()) arguments[key] = value.dump();
    return arguments;
}

// A template's grammar for "required" often still allows talk before the call, and a weak model
// talks for ever. The word that opens a call in the "auto" grammar is then put first.
std::string opening_of_a_call(const common_chat_templates* templates,
                              common_chat_templates_inputs inputs) {
    inputs.tool_choice = COMMON_CHAT_TOOL_CHOICE_AUTO;
    const common_chat_params params = common_chat_templates_apply(templates, inputs);
    for (const common_grammar_trigger& trigger : params.grammar_triggers) {
        if (trigger.type == COMMON_GRAMMAR_TRIGGER_TYPE_WORD) return trigger.value;
    }
    return {};
}

}  // namespace

Result<ChatTemplates> ChatTemplates::make(const Engine& engine) {
    auto impl = std::make_unique<Impl>();
    impl->engine = &engine;
    impl->templates = load_templates(engine.impl().model.get());
    if (!impl->templates) return fail(Code::kInternal, "the built-in chat template cannot be read");
    impl->stops = turn_ends_as_text(engine, common_chat_templates_source(impl->templates.get()));
    impl->is_plain = answers_plainly(impl->templates.get());
    return ChatTemplates(std::move(impl));
}

Asked<ChatPrompt> ChatTemplates::apply(const json& body, const Request& request) const {
    const common_chat_templates* templates = impl_->templates.get();
    HD_TRY(const ToolChoice choice, read_tool_choice(body));
    ChatPrompt prompt;
    prompt.stops = impl_->stops;
    if (!request.schema.empty()) {
        // Tried alone first: from inside a template a bad schema looks like a bad template.
        HD_TRY(prompt.constraint, schema_constraint(request.schema));
    }
    try {
        common_chat_templates_inputs inputs;
        inputs.messages = common_chat_msgs_parse_oaicompat(to_common(body.at("messages")));
        HD_TRY(inputs.tools, read_tools(body, choice));
        inputs.tool_choice = choice.kind;
        inputs.parallel_tool_calls = body.value("parallel_tool_calls", json()) == true;
        inputs.reasoning_format = COMMON_REASONING_FORMAT_AUTO;
        inputs.chat_template_kwargs = template_arguments(body);
        const auto thinking = inputs.chat_template_kwargs.find("enable_thinking");
        if (thinking != inputs.chat_template_kwargs.end()) {
            inputs.enable_thinking = thinking->second != "false";
        }
        const bool with_tools =
            !inputs.tools.empty() && choice.kind != COMMON_CHAT_TOOL_CHOICE_NONE;
        const bool is_plain = impl_->is_plain && inputs.tools.empty();
        inputs.force_pure_content = is_plain;  // spares the analysis of the template
        if (!is_plain) inputs.json_schema = request.schema;

        common_chat_params params = common_chat_templates_apply(templates, inputs);
        prompt.text = params.prompt;
        for (std::string& stop : params.additional_stops) prompt.stops.push_back(std::move(stop));
        if (is_plain) {
            prompt.reader.impl_->plain_key = "content";
            return prompt;
        }
        if (!params.grammar.empty()) prompt.constraint = to_constraint(params);
        prompt.constraint.preserved = params.preserved_tokens;
        if (with_tools && choice.kind == COMMON_CHAT_TOOL_CHOICE_REQUIRED) {
            prompt.forced = opening_of_a_call(templates, inputs);
        }
        prompt.reader.impl_->plain_key = nullptr;
        prompt.reader.impl_->params = parser_of(params, with_tools);
        return prompt;
    } catch (const std::exception& error) {
        return refuse("template_refused",
                      fmt::format("the model's chat template refuses this: {}", error.what()));
    }
}

Asked<Constraint> schema_constraint(const std::string& schema) {
    try {
        Constraint out;
        out.grammar = json_schema_to_grammar(common_json::parse(schema));
        return out;
    } catch (const std::exception& error) {
        return refuse("bad_schema",
                      fmt::format("the JSON schema cannot be enforced: {}", error.what()));
    }
}

}  // namespace hotdesk::worker
