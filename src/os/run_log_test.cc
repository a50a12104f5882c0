// SPDX-License-Identifier: MIT
#include "os/run_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

namespace hotdesk {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A file in memory, with a path.
struct MemoryFile {
    Fd fd{memfd_create("log", MFD_CLOEXEC)};
    std::string path = "/proc/self/fd/" + std::to_string(fd.get());
    std::string text() const { return read_log(path, 0, gib(1))->text; }
};

std::string line(int n) {
    return "line " + std::to_string(10'000 + n) + "\n";
}  // 11 bytes

TEST(RunLog, KeepsEverythingUpToItsBound) {
    const MemoryFile file;
    auto log = RunLog::create(file.path, kib(1));
    const std::string text(1024, 'x');
    log->append(text);
    EXPECT_EQ(file.text(), text);
    EXPECT_EQ(log->cut(), Bytes{0});
}

TEST(RunLog, OneByteMoreCutsTheMiddleAndSaysHowMuch) {
    const MemoryFile file;
    auto log = RunLog::create(file.path, kib(1));
    log->append(std::string(1024, 'x'));
    log->append("y");
    // 256 at the beginning and 512 before the end stay; no newline anywhere.
    EXPECT_EQ(file.text(),
              std::string(256, 'x') + "[... cut: 256 bytes ...]\n" + std::string(512, 'x') + "y");
    EXPECT_EQ(log->cut(), Bytes{256});
}

TEST(RunLog, NeverGrowsPastItsBoundAndCountsEveryByte) {
    const MemoryFile file;
    auto log = RunLog::create(file.path, kib(4));
    int64_t written = 0;
    for (int n = 0; n < 5000; ++n) {
        log->append(line(n));
        written += 11;
        ASSERT_LE(file.text().size(), 4096u);
    }
    const std::string text = file.text();
    const std::string mark = "[... cut: " + std::to_string(log->cut().value) + " bytes ...]\n";
    EXPECT_THAT(text, StartsWith(line(0) + line(1)));
    EXPECT_THAT(text, EndsWith(line(4998) + line(4999)));
    EXPECT_THAT(text, HasSubstr("\n" + mark + "line "));  // whole lines on both sides
    EXPECT_EQ(static_cast<int64_t>(text.size() - mark.size()) + log->cut().value, written);
}

TEST(RunLog, APieceLargerThanTheBoundIsCutToo) {
    const MemoryFile file;
    auto log = RunLog::create(file.path, kib(1));
    log->append(std::string(100'000, 'a') + "the end");
    EXPECT_LE(file.text().size(), 1024u);
    EXPECT_THAT(file.text(), EndsWith("the end"));
}

TEST(RunLog, CountsWhatTheDiskDidNotTake) {
    auto log = RunLog::create("/dev/full");
    ASSERT_TRUE(log) << log.error().message;
    log->append("hello");
    EXPECT_EQ(log->lost(), Bytes{5});
    EXPECT_EQ(log->size(), Bytes{0});
}

TEST(RunLog, NamesThePathItCannotWrite) {
    const auto log = RunLog::create("/nonexistent/r-1.log");
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, Code::kDenied);
    EXPECT_THAT(log.error().message, HasSubstr("/nonexistent/r-1.log"));
}

TEST(ReadLog, ReadsPiecesFromEitherEnd) {
    const MemoryFile file;
    RunLog::create(file.path)->append("0123456789");
    const auto piece = read_log(file.path, 2, Bytes{3});
    EXPECT_EQ(piece->text, "234");
    EXPECT_EQ(piece->end, 5);
    EXPECT_EQ(read_log(file.path, -4, Bytes{100})->text, "6789");
    EXPECT_EQ(read_log(file.path, -40, Bytes{100})->text, "0123456789");
    EXPECT_FALSE(read_log(file.path, 10, Bytes{100})->was_cut);
    EXPECT_TRUE(read_log(file.path, 11, Bytes{100})->was_cut);
    EXPECT_EQ(read_log("/nonexistent", 0, Bytes{1}).error().code, Code::kNotFound);
}

TEST(RunLog, TheOldestRunsLogsGoAndOtherFilesStay) {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "run_log_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    for (const char* name : {"r-9.log", "r-10.log", "r-100.log", "notes.txt"})
        ASSERT_TRUE(RunLog::create(folder + "/" + name));
    keep_newest_logs(folder, 2);
    EXPECT_FALSE(fs::exists(folder + "/r-9.log"));
    for (const char* name : {"r-10.log", "r-100.log", "notes.txt"})
        EXPECT_TRUE(fs::exists(folder + "/" + name)) << name;
    keep_newest_logs("/nonexistent", 2);
    fs::remove_all(folder);
}

TEST(CopyOutput, StopsWhenThePipeIsEmptyAndSaysWhenItHasEnded) {
    const MemoryFile file;
    auto log = RunLog::create(file.path);
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    const Fd from(ends[0]);
    Fd to(ends[1]);
    ASSERT_EQ(write(to.get(), "abc", 3), 3);
    EXPECT_FALSE(copy_output(from, *log));
    EXPECT_EQ(file.text(), "abc");
    to.reset();
    EXPECT_TRUE(copy_output(from, *log));
}

}  // namespace
}  // namespace hotdesk
