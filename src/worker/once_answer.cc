// SPDX-License-Identifier: MIT
#include "worker/once_answer.h"

#include <fmt/format.h>

#include <utility>

namespace hotdesk::worker {

using nlohmann::json;
using wire::CallKind;

Result<wire::Generate> once_call(std::string_view body) {
    wire::Generate call{.id = 1};
    call.body = json::parse(body, nullptr, false);
    if (!call.body.is_object()) {
        return fail(Code::kInvalid,
                    fmt::format("the request ({} bytes) is not a JSON object", body.size()));
    }
    if (call.body.contains("messages"))
        call.kind = CallKind::kChat;
    else if (call.body.contains("prompt"))
        call.kind = CallKind::kCompletion;
    else if (call.body.contains("input"))
        call.kind = CallKind::kEmbedding;
    else
        return fail(Code::kInvalid, "the request has no \"messages\", \"prompt\" or \"input\"");
    return call;
}

json once_error(const Error& error) {
    return {{"error", {{"code", to_string(error.code)}, {"message", error.message}}}};
}

void OnceAnswer::take(const wire::FromWorker& frame) {
    if (const auto* delta = std::get_if<wire::Delta>(&frame)) {
        add(delta->delta);
        if (!delta->logprobs.is_object()) return;
        if (logprobs_.is_null()) logprobs_ = {{"content", json::array()}};
        for (const json& entry : delta->logprobs.at("content"))
            logprobs_["content"].push_back(entry);
    } else if (const auto* finished = std::get_if<wire::Finished>(&frame)) {
        finished_ = *finished;
    } else if (const auto* broken = std::get_if<wire::Broken>(&frame)) {
        error_ = broken->error;
    }
}

void OnceAnswer::add(const json& delta) {
    const auto append = [](json& to, const json& from) {
        to = (to.is_string() ? to.get<std::string>() : std::string()) + from.get<std::string>();
    };
    for (const char* key : {"content", "reasoning_content", "text"}) {
        if (delta.contains(key)) append(message_[key], delta.at(key));
    }
    for (const json& piece : delta.value("tool_calls", json::array())) {
        json& calls = message_["tool_calls"];
        const size_t index = piece.at("index");
        if (calls.size() <= index) calls.push_back({{"type", "function"}, {"function", {}}});
        json& call = calls[index];
        if (piece.contains("id")) call["id"] = piece.at("id");
        for (const auto& [key, value] : piece.at("function").items()) {
            append(call["function"][key], value);
        }
    }
}

json OnceAnswer::choice() const {
    json out = {{"index", 0}, {"finish_reason", finished_.finish_reason}, {"logprobs", logprobs_}};
    if (kind_ == CallKind::kChat)
        out["message"] = message_;
    else
        out["text"] = message_.value("text", "");
    return out;
}

std::string OnceAnswer::json_text() const {
    const int64_t prompt = finished_.prompt.value, completion = finished_.completion.value;
    json out = {{"usage",
                 {{"prompt_tokens", prompt},
                  {"completion_tokens", completion},
                  {"total_tokens", prompt + completion}}}};
    switch (kind_) {
        case CallKind::kChat: out["object"] = "chat.completion"; break;
        case CallKind::kCompletion: out["object"] = "text_completion"; break;
        case CallKind::kEmbedding: out["object"] = "list"; break;
    }
    if (kind_ == CallKind::kEmbedding) {
        out["data"] = json::array();
        for (const json& vector : finished_.embedding) {
            out["data"].push_back(
                {{"object", "embedding"}, {"index", out["data"].size()}, {"embedding", vector}});
        }
    } else {
        out["choices"] = json::array({choice()});
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace hotdesk::worker
