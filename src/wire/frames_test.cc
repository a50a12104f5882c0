// SPDX-License-Identifier: MIT
#include "wire/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hotdesk::wire {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Two frames are the same when their lines are: the encoder writes every field.
void expect_same_after_the_wire(const ToWorker& frame) {
    const auto back = decode_to_worker(encode(frame));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->index(), frame.index());
    EXPECT_EQ(encode(*back), encode(frame));
}
void expect_same_after_the_wire(const FromWorker& frame) {
    const auto back = decode_from_worker(encode(frame));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->index(), frame.index());
    EXPECT_EQ(encode(*back), encode(frame));
}

TEST(Frames, EveryFrameToAWorkerComesOutAsItWentIn) {
    const std::vector<ToWorker> frames = {
        Generate{7, CallKind::kChat, "inbox", {{"messages", json::array({{{"role", "user"}}})}}},
        Generate{UINT64_MAX, CallKind::kEmbedding, "", json::object()},
        Cancel{7},
        Park{"inbox", "/run/x"},
        Restore{"inbox", "/run/x"},
        Drop{"inbox"},
        AskStats{},
        Quit{}};
    for (const ToWorker& frame : frames) expect_same_after_the_wire(frame);
}

TEST(Frames, EveryFrameFromAWorkerComesOutAsItWentIn) {
    const std::vector<FromWorker> frames = {
        Loading{500},
        Ready{{1}, {2}, {3}, 4, 5, 6, "0.4.0"},
        LoadFailed{{Code::kNoSpace, "too big"}},
        Delta{7, {{"content", "hé"}}, nullptr},
        Delta{7, {{"content", ""}}, {{"content", json::array()}}},
        Finished{7, "stop", {1}, {2}, {3}, {4}, {5}, nullptr},
        Finished{7, "stop", {1}, {0}, {0}, {4}, {5}, json::array({json::array({0.5, 1})})},
        Broken{7, {Code::kInvalid, "too long"}, "context_length_exceeded", {{"context", 4096}}},
        Parked{"inbox", {100}, {10}},
        Restored{"inbox", {10}},
        ContextFailed{"inbox", {Code::kNotFound, "no file"}},
        Stats{1, 2, {3}, {4}, 5, 6, 7, 8}};
    for (const FromWorker& frame : frames) expect_same_after_the_wire(frame);
}

TEST(Frames, ALineEndsInANewlineAndHoldsNoOther) {
    const std::string line = encode(FromWorker{Delta{1, {{"content", "a\nb"}}, nullptr}});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Frames, BrokenUtf8IsReplacedAndNotThrown) {
    const std::string line = encode(FromWorker{Delta{1, {{"content", "a\xC3"}}, nullptr}});
    const auto back = decode_from_worker(line);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(std::get<Delta>(*back).delta.at("content"), "a\xEF\xBF\xBD");
}

TEST(Frames, SaysWhichKeyIsMissingOrHasWhichType) {
    const auto message = [](std::string_view line) {
        const auto frame = decode_to_worker(line);
        EXPECT_EQ(frame.error().code, Code::kInvalid);
        return frame.error().message;
    };
    EXPECT_THAT(message("not json"), HasSubstr("8 bytes is not a JSON object"));
    EXPECT_THAT(message("[]"), HasSubstr("not a JSON object"));
    EXPECT_THAT(message("{}"), HasSubstr("\"frame\" is missing"));
    EXPECT_THAT(message(R"({"frame":"loading"})"), HasSubstr("\"loading\" is not known"));
    EXPECT_THAT(message(R"({"frame":"cancel"})"), HasSubstr("\"id\" is missing"));
    EXPECT_THAT(message(R"({"frame":"cancel","id":"x"})"), HasSubstr("\"id\" is string"));
    EXPECT_THAT(message(R"({"frame":"cancel","id":-1})"), HasSubstr("out of range"));
    EXPECT_THAT(message(R"({"frame":"generate","id":1,"kind":"chart","context":"","body":{}})"),
                HasSubstr("\"chart\""));
}

TEST(Frames, IntegersAreReadWhenTheyFitAndRefusedWhenNot) {
    const auto permille = [](const std::string& number) {
        return decode_from_worker(R"({"frame":"loading","permille":)" + number + "}").has_value();
    };
    EXPECT_TRUE(permille("2147483647"));
    EXPECT_FALSE(permille("2147483648"));
    EXPECT_TRUE(permille("-2147483648"));
    EXPECT_FALSE(permille("-2147483649"));
}

TEST(Frames, AnUnknownErrorCodeIsRefused) {
    const auto frame =
        decode_from_worker(R"({"frame":"load_failed","error":{"code":"sad","message":"m"}})");
    ASSERT_FALSE(frame);
    EXPECT_THAT(frame.error().message, HasSubstr("\"code\" is \"sad\""));
}

}  // namespace
}  // namespace hotdesk::wire
