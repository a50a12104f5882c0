// SPDX-License-Identifier: MIT
#include "loop/replay.h"

#include <gtest/gtest.h>

#include "core/small_world.h"

namespace hotdesk {
namespace {

// The journal of a daemon that starts and gets one call.
std::vector<RecordedCycle> journal() {
    SmallWorld world(small_fleet({}));
    State state;
    std::vector<RecordedCycle> cycles;
    auto turn = [&](std::vector<Event> events) {
        for (const Event& event : events) apply(state, world.seen.now, event);
        auto decided = decide(state, world.seen).decisions;
        for (const Decision& decision : decided) apply(state, world.seen.now, Intended{decision});
        cycles.push_back({world.seen, std::move(events), decided});
        world.pass(seconds(1));
    };
    turn({Recovered{}, Configured{small_fleet({small_model("a", gib(4))}), world.seen.wall}});
    turn({CallArrived{.call = {1}, .run = {}, .agent = {}, .wanted = "a", .wait = minutes(1)}});
    turn({});
    turn({DeskGranted{}});
    return cycles;
}

std::string text(const RecordedCycle& c) {
    return encode_cycle({c.seen, c.events, c.decisions, {}});
}

TEST(Replay, DecidesAlikeWhatItReadsBack) {
    Replayer replayer;
    for (const RecordedCycle& cycle : journal()) {
        auto difference = replayer.feed_line(text(cycle));
        ASSERT_TRUE(difference);
        EXPECT_FALSE(*difference);
    }
    EXPECT_EQ(replayer.cycles(), 4);
}

TEST(Replay, ReportsTheFirstCycleThatDiffersAndGoesOnFromTheRecord) {
    auto cycles = journal();
    auto right = cycles[2].decisions;
    cycles[2].decisions.front().why.who = "somebody else";
    Replayer replayer;
    EXPECT_FALSE(replayer.feed(cycles[0]));
    EXPECT_FALSE(replayer.feed(cycles[1]));
    auto difference = replayer.feed(cycles[2]);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->cycle, 3);
    EXPECT_EQ(difference->expected, cycles[2].decisions);
    EXPECT_EQ(difference->got, right);
    EXPECT_FALSE(replayer.feed(cycles[3]));
}

TEST(Replay, BeginsAnewWithEachLifeOfTheDaemon) {
    Replayer replayer;
    for (int life = 0; life < 2; ++life)
        for (const RecordedCycle& cycle : journal()) EXPECT_FALSE(replayer.feed(cycle));
}

TEST(Replay, NamesTheLineThatIsNoCycle) {
    Replayer replayer;
    ASSERT_TRUE(replayer.feed_line(text(journal()[0])));
    auto bad = replayer.feed_line("{\"seen\":");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error(), (Error{Code::kInvalid, "line 2: not a JSON object"}));
}

}  // namespace
}  // namespace hotdesk
