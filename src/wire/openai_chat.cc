// SPDX-License-Identifier: MIT
// A chat request, read and checked: messages, tools and the format of the answer.
#include <fmt/format.h>

#include "wire/openai_checks.h"

namespace hotdesk::wire {
namespace {

using nlohmann::json;

constexpr size_t kSchemaNameMax = 64;

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

}  // namespace

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

}  // namespace hotdesk::wire
