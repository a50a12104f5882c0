// SPDX-License-Identifier: MIT
#include "daemon/journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/step.h"
#include "loop/replay.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

struct Folder {
    std::string path = (fs::temp_directory_path() / "journal_test_XXXXXX").string();
    Folder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
    ~Folder() { fs::remove_all(path); }
};

// A State with something of every kind in it.
State busy_state() {
    State state;
    Fleet fleet;
    ModelSpec model{.name = ModelName{"writer"}, .path = "/w.gguf", .need = {mib(40), mib(2)}};
    fleet.models[model.name] = model;
    AgentSpec agent{.name = AgentName{"digest"}, .schedule = *parse_schedule("@hourly")};
    fleet.agents[agent.name] = agent;
    apply(state, Instant{1'000}, Configured{fleet, Wall{5'000}});
    apply(state, Instant{1'100}, RunWanted{agent.name, Wall{5'100}});
    apply(state, Instant{1'200},
          CallArrived{CallId{7}, RunId{}, agent.name, "writer", seconds(60)});
    return state;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

TEST(DiskJournal, AFullFileIsFollowedByOneThatBeginsWithTheWholeState) {
    Folder folder;
    auto journal = DiskJournal::open(folder.path, Wall{1}, Bytes{1});
    ASSERT_TRUE(journal);
    std::string first = journal->path();
    Snapshot seen{.now = Instant{2'000}, .wall = Wall{6'000}};
    journal->record({seen, {}, {}, {}});
    EXPECT_EQ(journal->path(), first);

    State state = busy_state();
    journal->settled(state, seen);
    EXPECT_NE(journal->path(), first);
    Replayer replayer;
    for (const std::string& line : lines_of(journal->path())) ASSERT_TRUE(replayer.feed_line(line));
    EXPECT_EQ(replayer.state(), state);
}

TEST(DiskJournal, AFileThatIsNotFullGoesOn) {
    Folder folder;
    auto journal = DiskJournal::open(folder.path, Wall{1}, mib(1));
    ASSERT_TRUE(journal);
    std::string first = journal->path();
    journal->settled(busy_state(), {.now = Instant{2'000}, .wall = Wall{6'000}});
    EXPECT_EQ(journal->path(), first);
    EXPECT_TRUE(lines_of(first).empty());
}

TEST(DiskJournal, KeepsTheNewestFiles) {
    Folder folder;
    for (int64_t at = 1'001; at <= 1'006; ++at)
        ASSERT_TRUE(DiskJournal::open(folder.path, Wall{at}));
    int count = 0;
    for (const auto& entry : fs::directory_iterator(folder.path)) count += entry.is_regular_file();
    EXPECT_EQ(count, kJournalFilesMax);
    EXPECT_TRUE(fs::exists(folder.path + "/journal-1006.ndjson"));
    EXPECT_FALSE(fs::exists(folder.path + "/journal-1002.ndjson"));
}

}  // namespace
}  // namespace hotdesk
