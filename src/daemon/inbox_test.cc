// SPDX-License-Identifier: MIT
#include "daemon/inbox.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

constexpr Alarm kNever{Instant{INT64_MAX}, Wall{4'000'000'000'000}};

std::vector<uint64_t> runs_of(const std::vector<Event>& events) {
    std::vector<uint64_t> runs;
    for (const Event& event : events) runs.push_back(std::get<RunUnwanted>(event).run.value);
    return runs;
}

TEST(Inbox, GivesWhatAQuestionPostsBeforeWhatCameMeanwhile) {
    const WallClock wall;
    Inbox inbox(wall);
    inbox.post(RunUnwanted{{1}});
    inbox.ask([&](const State&, const Snapshot&) { inbox.post_next(RunUnwanted{{3}}); });
    EXPECT_EQ(runs_of(inbox.wait(kNever)), std::vector<uint64_t>{1});
    inbox.post(RunUnwanted{{2}});
    inbox.answer({}, {});
    EXPECT_EQ(runs_of(inbox.wait(kNever)), (std::vector<uint64_t>{3, 2}));
}

TEST(Inbox, DoesNotSleepOverWhatAQuestionPosted) {
    const WallClock wall;
    Inbox inbox(wall);
    inbox.ask([&](const State&, const Snapshot&) { inbox.post_next(RunUnwanted{{3}}); });
    EXPECT_TRUE(inbox.wait(kNever).empty());
    inbox.answer({}, {});
    EXPECT_EQ(runs_of(inbox.wait(kNever)), std::vector<uint64_t>{3});
}

}  // namespace
}  // namespace hotdesk
