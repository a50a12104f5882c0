// SPDX-License-Identifier: MIT
#include "wire/openai_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotdesk::wire {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const AnswerHead kHead{CallKind::kChat, 7, 1000, "qwen"};

Finished finished(const char* reason) {
    Finished out;
    out.id = 7;
    out.finish_reason = reason;
    out.prompt = Tokens{10};
    out.cached = Tokens{4};
    out.completion = Tokens{2};
    return out;
}

// The JSON of an SSE event that is one chunk.
json chunk_of(const std::string& event) {
    EXPECT_TRUE(event.starts_with("data: ") && event.ends_with("\n\n")) << event;
    return json::parse(event.substr(6));
}

TEST(ChunkWriter, TheFirstChunkSaysTheRoleAndTheNextDoNot) {
    ChunkWriter writer(kHead);
    EXPECT_EQ(
        chunk_of(writer.delta({7, {{"content", "a"}}, nullptr})),
        json::parse(
            R"({"id":"chatcmpl-7","object":"chat.completion.chunk","created":1000,"model":"qwen",
                  "choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"logprobs":null,"finish_reason":null}]})"));
    EXPECT_EQ(
        chunk_of(writer.delta({7, {{"content", "b"}}, {{"content", json::array()}}}))["choices"][0],
        json::parse(
            R"({"index":0,"delta":{"content":"b"},"logprobs":{"content":[]},"finish_reason":null})"));
}

TEST(ChunkWriter, EndsWithTheReasonTheUsageAndDone) {
    ChunkWriter writer(kHead);
    writer.delta({7, {{"content", "a"}}, nullptr});
    const std::string end = writer.end(finished("length"), true);
    EXPECT_THAT(end, HasSubstr(R"("delta":{},"logprobs":null,"finish_reason":"length"}]})"));
    EXPECT_THAT(end,
                HasSubstr(R"("choices":[],"usage":{"completion_tokens":2,"prompt_tokens":10,)"));
    EXPECT_THAT(end, EndsWith("data: [DONE]\n\n"));
    EXPECT_THAT(ChunkWriter(kHead).end(finished("stop"), false), Not(HasSubstr("usage")));
}

TEST(ChunkWriter, AModelNameCannotBreakTheChunk) {
    ChunkWriter writer({CallKind::kChat, 1, 0, "a\"b\n"});
    EXPECT_EQ(chunk_of(writer.delta({1, {{"content", "x"}}, nullptr}))["model"], "a\"b\n");
}

TEST(AnswerBuilder, PutsPiecesTogetherAsAClientWould) {
    AnswerBuilder builder;
    builder.add({7, {{"content", "hel"}}, {{"content", {1}}}});
    builder.add({7, {{"content", "lo"}}, {{"content", {2}}}});
    const json answer = builder.finish(kHead, finished("cancelled"), false);
    EXPECT_EQ(answer["choices"],
              json::parse(R"([{"index":0,"finish_reason":"stop","logprobs":{"content":[1,2]},
        "message":{"role":"assistant","content":"hello","refusal":null}}])"));
    EXPECT_EQ(answer["usage"],
              json::parse(R"({"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,
        "prompt_tokens_details":{"cached_tokens":4}})"));
}

TEST(AnswerBuilder, PutsToolCallsTogetherByTheirIndex) {
    AnswerBuilder builder;
    const auto add = [&](const char* call) {
        builder.add({7, {{"tool_calls", json::array({json::parse(call)})}}, nullptr});
    };
    add(R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}})");
    add(R"({"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}})");
    add(R"({"index":0,"function":{"arguments":"{\"x\":1}"}})");
    add(R"({"index":1000000000,"function":{"arguments":"too far"}})");
    EXPECT_EQ(builder.finish(kHead, finished("tool_calls"), false)["choices"][0]["message"],
              json::parse(R"({"role":"assistant","content":null,"refusal":null,"tool_calls":[
        {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},
        {"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]})"));
}

TEST(AnswerBuilder, WritesEmbeddingsAsNumbersOrAsBase64) {
    Finished done = finished("stop");
    done.embedding = {{0.5, -0.25, 1.0}, {1.0}};
    const AnswerHead head{CallKind::kEmbedding, 7, 1000, "bge"};
    EXPECT_EQ(AnswerBuilder().finish(head, done, false)["data"][1],
              json::parse(R"({"object":"embedding","index":1,"embedding":[1.0]})"));
    const json encoded = AnswerBuilder().finish(head, done, true);
    EXPECT_EQ(encoded["data"][0]["embedding"], "AAAAPwAAgL4AAIA/");  // 12 bytes: no padding
    EXPECT_EQ(encoded["data"][1]["embedding"], "AACAPw==");          // 4 bytes: two
    EXPECT_EQ(encoded["usage"], (json{{"prompt_tokens", 10}, {"total_tokens", 10}}));
}

}  // namespace
}  // namespace hotdesk::wire
