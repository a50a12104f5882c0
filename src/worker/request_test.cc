// SPDX-License-Identifier: MIT
#include "worker/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotdesk::worker {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using wire::CallKind;

// A chat request with some keys of its own.
Asked<Request> chat(const json& keys) {
    json body = {{"messages", {{{"role", "user"}, {"content", "x"}}}}};
    body.update(keys);
    return parse_request(CallKind::kChat, body);
}

TEST(Request, NullCountsAsAbsentAsOpenAiClientsSendIt) {
    const auto request = chat({{"temperature", nullptr}, {"stop", nullptr}, {"tools", nullptr}});
    ASSERT_TRUE(request) << request.error().error.message;
    EXPECT_EQ(request->sampling.temperature, 0.8);
    EXPECT_EQ(request->max_tokens, -1);
}

TEST(Request, NumbersAreTakenAtTheirBoundsAndRefusedBeyond) {
    EXPECT_TRUE(chat({{"top_p", 1}}));
    EXPECT_FALSE(chat({{"top_p", 1.001}}));
    EXPECT_TRUE(chat({{"max_tokens", 2147483647}}));
    EXPECT_FALSE(chat({{"max_tokens", 2147483648}}));
    EXPECT_TRUE(chat({{"max_tokens", -1}}));
    EXPECT_FALSE(chat({{"max_tokens", -2}}));
    EXPECT_FALSE(chat({{"max_tokens", 2.5}}));
    EXPECT_TRUE(chat({{"max_tokens", 2.0}}));
}

TEST(Request, TheMessageNamesTheKeyTheBoundsAndTheValue) {
    const auto request = chat({{"top_p", 7}});
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error().error.message,
                HasSubstr("\"top_p\" must be a number from 0 to 1, and is 7"));
}

TEST(Request, NestingIsBounded) {
    const auto nested = [](int levels) {
        json value = json::array();
        for (int i = 1; i < levels; ++i) value = json::array({value});
        return chat({{"metadata", value}}).has_value();
    };
    EXPECT_TRUE(nested(kNestingMax - 1));  // the body itself is one level
    EXPECT_FALSE(nested(kNestingMax));
}

TEST(Request, ACompletionWithoutALimitGetsSixteenTokensAsOpenAiHasIt) {
    EXPECT_EQ(parse_request(CallKind::kCompletion, {{"prompt", "x"}})->max_tokens, 16);
}

TEST(Request, AStopMayBeOneStringOrSeveral) {
    using Stops = std::vector<std::string>;
    EXPECT_EQ(chat({{"stop", "a"}})->stops, (Stops{"a"}));
    EXPECT_EQ(chat({{"stop", {"a", "b"}}})->stops, (Stops{"a", "b"}));
    EXPECT_FALSE(chat({{"stop", 1}}));
}

}  // namespace
}  // namespace hotdesk::worker
