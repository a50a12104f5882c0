// SPDX-License-Identifier: MIT
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/client.h"
#include "cli/table.h"

namespace hotdesk {
namespace {

using testing::HasSubstr;

const Syntax kAll{.usage = "hotdesk x NAME",
                  .names_min = 1,
                  .names_max = 2,
                  .flags = "--follow --wait --agent --since --limit"};

Result<Arguments> parse(std::vector<std::string> args, const Syntax& syntax = kAll) {
    return parse_arguments(args, syntax);
}

TEST(Arguments, ReadsFlagsInAnyPlaceAndBothForms) {
    const auto typed =
        parse({"--since=1d", "inbox", "-f", "--limit", "7", "--json", "--agent", "x"});
    ASSERT_TRUE(typed) << typed.error().message;
    EXPECT_EQ(typed->names, std::vector<std::string>{"inbox"});
    EXPECT_TRUE(typed->follow && typed->is_json);
    EXPECT_FALSE(typed->wait);
    EXPECT_EQ(typed->since, hours(24));
    EXPECT_EQ(typed->limit, 7);
    EXPECT_EQ(typed->agent, "x");
}

TEST(Arguments, RefusesWhatTheCommandDoesNotTake) {
    const Syntax none{.usage = "hotdesk ps [--json]", .flags = ""};
    for (const char* arg : {"--wait", "-f", "--limit=3", "--agent", "-x", "name"})
        EXPECT_THAT(parse({arg}, none).error().message, HasSubstr("usage: hotdesk ps [--json]"))
            << arg;
    EXPECT_TRUE(parse({"--json"}, none));
}

TEST(Arguments, CountsTheNames) {
    EXPECT_FALSE(parse({}));
    EXPECT_TRUE(parse({"a"}));
    EXPECT_TRUE(parse({"a", "b"}));
    EXPECT_FALSE(parse({"a", "b", "c"}));
}

TEST(Arguments, BoundsTheLimitAndWantsValues) {
    EXPECT_FALSE(parse({"a", "--limit", "0"}));
    EXPECT_TRUE(parse({"a", "--limit", "1"}));
    EXPECT_TRUE(parse({"a", "--limit", "10000"}));
    EXPECT_FALSE(parse({"a", "--limit", "10001"}));
    EXPECT_FALSE(parse({"a", "--limit", "7x"}));
    EXPECT_FALSE(parse({"a", "--since", "7"}));  // no unit
    EXPECT_THAT(parse({"a", "--limit"}).error().message, HasSubstr("--limit needs a value"));
}

TEST(Table, AlignsColumnsAndCutsTrailingSpaces) {
    Table table({"NAME", ">SIZE", "NOTE"});
    table.add({"a", "12", ""});
    table.add({"größe", "7", "x"});
    EXPECT_EQ(table.text(), "NAME   SIZE  NOTE\na        12\ngröße     7  x\n");
}

TEST(Client, EncodesWhatIsNotPlainInAPath) {
    EXPECT_EQ(percent_encode("in-box_1.a~"), "in-box_1.a~");
    EXPECT_EQ(percent_encode("a b/c?ü"), "a%20b%2Fc%3F%C3%BC");
}

TEST(Client, ReadsAnAnswerOrTheErrorInIt) {
    const auto answer = read_answer("HTTP/1.1 200 OK\r\nX: y\r\n\r\n{\"schema\":1}");
    ASSERT_TRUE(answer);
    EXPECT_EQ(*answer, nlohmann::json({{"schema", 1}}));
    const auto error = read_answer(
        "HTTP/1.1 404 Not Found\r\n\r\n{\"error\":{\"code\":\"not_found\",\"message\":\"no agent "
        "x\"}}");
    EXPECT_EQ(error.error(), (Error{Code::kNotFound, "no agent x"}));
    EXPECT_EQ(read_answer("HTTP/1.1 403 Forbidden\r\n\r\n").error().code, Code::kDenied);
    EXPECT_EQ(read_answer("HTTP/1.1 200 OK\r\n\r\nnot json").error().code, Code::kInternal);
    EXPECT_EQ(read_answer("garbage").error().code, Code::kInternal);
    EXPECT_EQ(read_answer("").error().code, Code::kInternal);
}

TEST(Client, SaysWhatToDoWhenNoDaemonIsThere) {
    const auto answer = Client("/nonexistent/hotdesk.sock").get("status");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kUnavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("/nonexistent/hotdesk.sock"));
    EXPECT_THAT(answer.error().message, HasSubstr("hotdesk up"));
    EXPECT_EQ(Client(std::string(200, 'x')).get("status").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace hotdesk
