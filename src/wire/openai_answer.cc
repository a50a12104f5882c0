// SPDX-License-Identifier: MIT
#include "wire/openai_answer.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

namespace hotdesk::wire {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "base64 embeddings are little-endian floats");

// A call has at most this many tool calls; an index beyond is a worker's mistake.
constexpr size_t kToolCallsMax = 128;

std::string_view id_prefix(CallKind kind) {
    switch (kind) {
        case CallKind::kChat: return "chatcmpl";
        case CallKind::kCompletion: return "cmpl";
        case CallKind::kEmbedding: return "embd";
    }
    return "call";
}

std::string_view object_name(CallKind kind, bool is_chunk) {
    switch (kind) {
        case CallKind::kChat: return is_chunk ? "chat.completion.chunk" : "chat.completion";
        case CallKind::kCompletion: return "text_completion";
        case CallKind::kEmbedding: return "list";
    }
    return "";
}

// "cancelled" is ours; OpenAI's clients know no such reason.
std::string openai_reason(const std::string& reason) {
    return reason == "cancelled" ? "stop" : reason;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k)
            group =
                group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (size_t k = 0; k < 4; ++k) {
            const bool is_padding = i + k > bytes.size();
            out += is_padding ? '=' : kDigits[group >> (18 - 6 * k) & 63];
        }
    }
    return out;
}

std::string base64_of(const json& vector) {
    std::string bytes;
    for (const json& number : vector) {
        const float value = number.is_number() ? number.get<float>() : 0.0f;
        const auto raw = std::bit_cast<std::array<char, sizeof(float)>>(value);
        bytes.append(raw.data(), raw.size());
    }
    return base64(bytes);
}

json embedding_json(const AnswerHead& head, const Finished& finished, bool is_base64) {
    json items = json::array();
    for (const json& vector : finished.embedding) {
        items.push_back({{"object", "embedding"},
                         {"index", items.size()},
                         {"embedding", is_base64 ? json(base64_of(vector)) : vector}});
    }
    return {{"object", "list"},
            {"data", std::move(items)},
            {"model", head.model},
            {"usage",
             {{"prompt_tokens", finished.prompt.value}, {"total_tokens", finished.prompt.value}}}};
}

}  // namespace

json usage_json(const Finished& finished) {
    return {{"prompt_tokens", finished.prompt.value},
            {"completion_tokens", finished.completion.value},
            {"total_tokens", finished.prompt.value + finished.completion.value},
            {"prompt_tokens_details", {{"cached_tokens", finished.cached.value}}}};
}

std::string error_event(const ApiError& error) {
    return fmt::format("data: {}\n\n", to_text(error_json(error)));
}

// ---- streamed ----------------------------------------------------------------------------------

ChunkWriter::ChunkWriter(const AnswerHead& head) : kind_(head.kind) {
    prefix_ =
        fmt::format(R"(data: {{"id":"{}-{}","object":"{}","created":{},"model":{},"choices":[)",
                    id_prefix(head.kind), head.call, object_name(head.kind, true), head.created,
                    to_text(json(head.model)));
}

std::string ChunkWriter::chunk(const json& delta, const json& logprobs,
                               const json& finish_reason) const {
    std::string out = prefix_;
    if (kind_ == CallKind::kChat) {
        fmt::format_to(std::back_inserter(out),
                       R"({{"index":0,"delta":{},"logprobs":{},"finish_reason":{}}}]}})",
                       to_text(delta), to_text(logprobs), to_text(finish_reason));
    } else {
        fmt::format_to(std::back_inserter(out),
                       R"({{"index":0,"text":{},"logprobs":{},"finish_reason":{}}}]}})",
                       to_text(delta.value("text", json(""))), to_text(logprobs),
                       to_text(finish_reason));
    }
    out += "\n\n";
    return out;
}

std::string ChunkWriter::delta(const Delta& frame) {
    if (kind_ != CallKind::kChat || has_role_) return chunk(frame.delta, frame.logprobs, nullptr);
    has_role_ = true;
    json first = frame.delta;
    first["role"] = "assistant";
    return chunk(first, frame.logprobs, nullptr);
}

std::string ChunkWriter::end(const Finished& finished, bool include_usage) {
    json last = json::object();
    if (kind_ == CallKind::kChat && !has_role_) last = {{"role", "assistant"}, {"content", ""}};
    std::string out = chunk(last, nullptr, openai_reason(finished.finish_reason));
    if (include_usage) {
        out += prefix_;
        fmt::format_to(std::back_inserter(out), "],\"usage\":{}}}\n\n",
                       to_text(usage_json(finished)));
    }
    out += "data: [DONE]\n\n";
    return out;
}

// ---- whole -------------------------------------------------------------------------------------

void AnswerBuilder::add(const Delta& frame) {
    for (const auto& [key, value] : frame.delta.items()) {
        if ((key == "content" || key == "text") && value.is_string())
            text_ += value.get_ref<const std::string&>();
        else if (key == "reasoning_content" && value.is_string())
            reasoning_ += value.get_ref<const std::string&>();
        else if (key == "tool_calls" && value.is_array())
            add_tool_calls(value);
    }
    if (!frame.logprobs.is_object()) return;
    if (logprobs_.is_null()) {
        logprobs_ = frame.logprobs;
        return;
    }
    // Every member is a list that grows: chat has "content", completions have four.
    for (const auto& [key, list] : frame.logprobs.items())
        if (list.is_array())
            for (const json& one : list) logprobs_[key].push_back(one);
}

// As a client puts them together: the id and the name come first, then pieces of the arguments.
void AnswerBuilder::add_tool_calls(const json& calls) {
    for (const json& piece : calls) {
        if (!piece.is_object()) continue;
        const size_t index =
            piece.value("index", json()).is_number_unsigned() ? piece["index"].get<size_t>() : 0;
        if (index >= kToolCallsMax) continue;
        while (tool_calls_.size() <= index) {
            tool_calls_.push_back({{"id", ""},
                                   {"type", "function"},
                                   {"function", {{"name", ""}, {"arguments", ""}}}});
        }
        json& call = tool_calls_[index];
        if (const auto id = piece.find("id"); id != piece.end() && id->is_string())
            call["id"] = *id;
        const json function = piece.value("function", json::object());
        for (const char* key : {"name", "arguments"}) {
            const json value = function.is_object() ? function.value(key, json()) : json();
            if (value.is_string())
                call["function"][key].get_ref<std::string&>() +=
                    value.get_ref<const std::string&>();
        }
    }
}

json AnswerBuilder::finish(const AnswerHead& head, const Finished& finished, bool is_base64) const {
    if (head.kind == CallKind::kEmbedding) return embedding_json(head, finished, is_base64);
    json choice = {{"index", 0},
                   {"logprobs", logprobs_},
                   {"finish_reason", openai_reason(finished.finish_reason)}};
    if (head.kind == CallKind::kChat) {
        json message = {{"role", "assistant"}, {"content", text_}, {"refusal", nullptr}};
        if (!reasoning_.empty()) message["reasoning_content"] = reasoning_;
        if (!tool_calls_.empty()) message["tool_calls"] = tool_calls_;
        if (!tool_calls_.empty() && text_.empty()) message["content"] = nullptr;
        choice["message"] = std::move(message);
    } else {
        choice["text"] = text_;
    }
    return {{"id", fmt::format("{}-{}", id_prefix(head.kind), head.call)},
            {"object", object_name(head.kind, false)},
            {"created", head.created},
            {"model", head.model},
            {"choices", json::array({std::move(choice)})},
            {"usage", usage_json(finished)}};
}

}  // namespace hotdesk::wire
