// SPDX-License-Identifier: MIT
#include "wire/openai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hotdesk::wire {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ApiError chat_error(const std::string& body) {
    const auto call = decode_call(CallKind::kChat, body);
    return call ? ApiError{200, "accepted", call->body.dump(), "", {}} : call.error();
}
// A chat request with one message and `more` ("\"n\":2") beside it.
ApiError chat_error_with(const std::string& more) {
    return chat_error(R"({"messages":[{"role":"user","content":"x"}],)" + more + "}");
}

TEST(OpenAi, ReadsWhatAgentFrameworksSend) {
    const auto call = decode_call(CallKind::kChat, R"({
        "model": "task:write", "stream": true, "stream_options": {"include_usage": true},
        "tools": [], "tool_choice": "auto", "max_tokens": null, "temperature": 0.5, "made_up": [1],
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "be "}, {"type": "text", "text": "short"}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"}]})");
    ASSERT_TRUE(call) << call.error().message;
    EXPECT_EQ(call->model, "task:write");
    EXPECT_TRUE(call->is_stream);
    EXPECT_TRUE(call->include_usage);
    EXPECT_EQ(call->body, json::parse(R"({
        "temperature": 0.5, "made_up": [1],
        "messages": [
            {"role": "system", "content": "be short"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"}]})"));
}

TEST(OpenAi, AWrongValueIsNamedByItsParameter) {
    struct Case {
        std::string more, code, param;
    };
    const std::vector<Case> cases = {
        {R"("model":3)", "wrong_type", "model"},
        {R"("stream":"yes")", "wrong_type", "stream"},
        {R"("stream_options":1)", "wrong_type", "stream_options"},
        {R"("stream_options":{"include_usage":1})", "wrong_type", "stream_options.include_usage"},
        {R"("temperature":"hot")", "wrong_type", "temperature"},
        {R"("temperature":2.01)", "wrong_value", "temperature"},
        {R"("temperature":-0.01)", "wrong_value", "temperature"},
        {R"("top_p":1.5)", "wrong_value", "top_p"},
        {R"("max_tokens":0)", "wrong_value", "max_tokens"},
        {R"("max_tokens":2147483648)", "wrong_value", "max_tokens"},
        {R"("max_tokens":1.5)", "wrong_type", "max_tokens"},
        {R"("max_completion_tokens":18446744073709551615)", "wrong_value", "max_completion_tokens"},
        {R"("n":2)", "unsupported", "n"},
        {R"("stop":3)", "wrong_type", "stop"},
        {R"("stop":["a",3])", "wrong_type", "stop"},
        {R"("tools":{})", "wrong_type", "tools"},
        {R"("tools":[3])", "wrong_type", "tools[0]"},
        {R"("tools":[{"type":"web"}])", "unsupported", "tools[0].type"},
        {R"("tools":[{"type":"function"}])", "wrong_value", "tools[0].function"},
        {R"("tools":[{"type":"function","function":{"name":""}}])", "wrong_value",
         "tools[0].function.name"},
        {R"("tool_choice":"required")", "wrong_value", "tool_choice"},
        {R"("tool_choice":3)", "wrong_value", "tool_choice"},
        {R"("response_format":"json")", "wrong_type", "response_format"},
        {R"("response_format":{"type":"xml"})", "wrong_value", "response_format.type"},
        {R"("response_format":{"type":"json_schema"})", "wrong_type",
         "response_format.json_schema"},
        {R"("response_format":{"type":"json_schema","json_schema":{"name":"a","schema":3}})",
         "wrong_type", "response_format.json_schema.schema"},
        {R"("top_logprobs":21,"logprobs":true)", "wrong_value", "top_logprobs"},
        {R"("top_logprobs":2)", "wrong_value", "top_logprobs"},
    };
    for (const Case& one : cases) {
        const ApiError error = chat_error_with(one.more);
        EXPECT_EQ(error.code, one.code) << one.more << ": " << error.message;
        EXPECT_EQ(error.param, one.param) << one.more << ": " << error.message;
        EXPECT_EQ(error.status, one.code == "accepted" ? 200 : 400);
    }
}

TEST(OpenAi, TakesValuesAtTheirBounds) {
    for (const char* more :
         {R"("temperature":0)", R"("temperature":2)", R"("max_tokens":1)", R"("n":1)",
          R"("max_tokens":2147483647)", R"("top_logprobs":20,"logprobs":true)",
          R"("top_logprobs":0)", R"("seed":-9223372036854775808)", R"("stop":["a","b"])",
          R"("tools":null)", R"("response_format":{"type":"json_object"})"})
        EXPECT_EQ(chat_error_with(more).code, "accepted") << more;
}

TEST(OpenAi, AWrongMessageIsNamedByItsPlace) {
    const auto of = [](const std::string& message) {
        const ApiError error =
            chat_error(R"({"messages":[{"role":"user","content":"x"},)" + message + "]}");
        return error.code + " " + error.param;
    };
    EXPECT_EQ(of("3"), "wrong_type messages[1]");
    EXPECT_EQ(of("{}"), "missing messages[1].role");
    EXPECT_EQ(of(R"({"role":"king","content":"x"})"), "wrong_value messages[1].role");
    EXPECT_EQ(of(R"({"role":"user"})"), "missing messages[1].content");
    EXPECT_EQ(of(R"({"role":"user","content":3})"), "wrong_type messages[1].content");
    EXPECT_EQ(of(R"({"role":"user","content":[{"type":"image_url"}]})"),
              "unsupported messages[1].content[0].type");
    EXPECT_EQ(of(R"({"role":"user","content":[{"type":"text"}]})"),
              "wrong_value messages[1].content[0].text");
    EXPECT_EQ(of(R"({"role":"assistant","tool_calls":[{"function":{"name":"f"}}]})"),
              "wrong_value messages[1].tool_calls[0].function.arguments");
    EXPECT_EQ(chat_error("{}").param, "messages");
    EXPECT_EQ(chat_error(R"({"messages":[]})").code, "wrong_value");
}

TEST(OpenAi, ABodyThatIsNotJsonIsNamedByLineAndColumn) {
    EXPECT_THAT(chat_error("{\"a\":1,\n  oops}").message, HasSubstr("line 2, column 3"));
    EXPECT_THAT(chat_error("").message, HasSubstr("empty"));
    EXPECT_THAT(chat_error("[]").message, HasSubstr("array, not an object"));
    EXPECT_EQ(chat_error("{\"a\":1e999}").code, "bad_json");
    EXPECT_EQ(chat_error("{\"a\":\"\xff\"}").code, "bad_json");
}

TEST(OpenAi, NestingIsTakenUpToItsLimitAndNotBeyond) {
    const auto nested = [](int depth) {  // the object itself is one level
        return chat_error_with("\"x\":" + std::string(static_cast<size_t>(depth - 1), '[') +
                               std::string(static_cast<size_t>(depth - 1), ']'))
            .code;
    };
    EXPECT_EQ(nested(100), "accepted");
    EXPECT_EQ(nested(101), "bad_json");
    EXPECT_EQ(nested(1'000'000), "bad_json");
    EXPECT_EQ(chat_error_with("\"x\":\"" + std::string(200, '[') + "\\\"[\"").code,
              "accepted");  // inside a string
}

TEST(OpenAi, ReadsCompletionsAndEmbeddings) {
    const auto completion =
        decode_call(CallKind::kCompletion, R"({"model":"m","prompt":["only"],"max_tokens":4})");
    ASSERT_TRUE(completion);
    EXPECT_EQ(completion->body, (json{{"prompt", "only"}, {"max_tokens", 4}}));
    EXPECT_EQ(decode_call(CallKind::kCompletion, R"({"prompt":["a","b"]})").error().code,
              "unsupported");
    EXPECT_EQ(decode_call(CallKind::kCompletion, "{}").error().param, "prompt");

    const auto embedding =
        decode_call(CallKind::kEmbedding, R"({"input":"a","encoding_format":"base64"})");
    ASSERT_TRUE(embedding);
    EXPECT_TRUE(embedding->is_base64);
    EXPECT_EQ(embedding->body, (json{{"input", {"a"}}}));
    EXPECT_EQ(decode_call(CallKind::kEmbedding, R"({"input":[]})").error().param, "input");
    EXPECT_EQ(decode_call(CallKind::kEmbedding, R"({"input":["a",""]})").error().param, "input[1]");
    EXPECT_EQ(decode_call(CallKind::kEmbedding, R"({"input":[[1,2]]})").error().param, "input[0]");
    EXPECT_EQ(decode_call(CallKind::kEmbedding, R"({"input":"a","dimensions":3})").error().code,
              "unsupported");
}

TEST(OpenAi, AnErrorHasOpenAisShapeAndItsNumbers) {
    EXPECT_EQ(error_json({507, "cannot_fit", "too big", "", {{"need", 7}, {"have", 5}}}),
              (json{{"error",
                     {{"message", "too big"},
                      {"type", "server_error"},
                      {"param", nullptr},
                      {"code", "cannot_fit"},
                      {"need", 7},
                      {"have", 5}}}}));
}

}  // namespace
}  // namespace hotdesk::wire
