// SPDX-License-Identifier: MIT
#include "worker/park_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace hotdesk::worker {
namespace {

namespace fs = std::filesystem;

struct Folder {
    std::string path = (fs::temp_directory_path() / "park_file_test_XXXXXX").string();
    Folder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
    ~Folder() { fs::remove_all(path); }
    std::string file() const { return path + "/a.ctx"; }
};

ParkedContext small_context() {
    ParkedContext parked{.identity = "00ff", .tokens = {1, -2, 300'000}, .state = {}};
    for (int i = 0; i < 11; ++i) parked.state.push_back(std::byte(i * 7));  // no multiple of eight
    return parked;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

TEST(ParkFile, ReadsBackWhatItWrote) {
    const Folder folder;
    const ParkedContext parked = small_context();
    const auto bytes = write_parked(folder.file(), parked);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(bytes->value, static_cast<int64_t>(fs::file_size(folder.file())));
    const auto read = read_parked(folder.file(), "00ff");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->identity, parked.identity);
    EXPECT_EQ(read->tokens, parked.tokens);
    EXPECT_EQ(read->state, parked.state);
    EXPECT_FALSE(fs::exists(folder.file() + ".part"));
}

TEST(ParkFile, ReplacesTheContextThatWasThere) {
    const Folder folder;
    ParkedContext parked = small_context();
    ASSERT_TRUE(write_parked(folder.file(), parked));
    parked.tokens = {7};
    ASSERT_TRUE(write_parked(folder.file(), parked));
    EXPECT_EQ(read_parked(folder.file(), "00ff")->tokens, parked.tokens);
}

TEST(ParkFile, RefusesEveryFileThatIsCutOff) {
    const Folder folder;
    ASSERT_TRUE(write_parked(folder.file(), small_context()));
    const std::string whole = read_file(folder.file());
    for (size_t size = 0; size < whole.size(); ++size) {
        write_file(folder.file(), whole.substr(0, size));
        const auto read = read_parked(folder.file(), "00ff");
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, Code::kInvalid) << size;
    }
    write_file(folder.file(), whole + "x");
    EXPECT_FALSE(read_parked(folder.file(), "00ff"));
}

TEST(ParkFile, RefusesEveryFileWithAByteChanged) {
    const Folder folder;
    ASSERT_TRUE(write_parked(folder.file(), small_context()));
    const std::string whole = read_file(folder.file());
    for (size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
        write_file(folder.file(), damaged);
        const auto read = read_parked(folder.file(), "00ff");
        ASSERT_FALSE(read) << at;
        EXPECT_EQ(read.error().code, Code::kInvalid) << at;
    }
}

TEST(ParkFile, RefusesTheContextOfAnotherModel) {
    const Folder folder;
    ASSERT_TRUE(write_parked(folder.file(), small_context()));
    const auto read = read_parked(folder.file(), "0100");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kInvalid);
    EXPECT_NE(read.error().message.find("belongs to model 00ff, and this is 0100"),
              std::string::npos);
}

TEST(ParkFile, SaysWhatIsNotThere) {
    const Folder folder;
    EXPECT_EQ(read_parked(folder.file(), "00ff").error().code, Code::kNotFound);
    EXPECT_EQ(write_parked(folder.path + "/no/a.ctx", small_context()).error().code,
              Code::kNotFound);
}

TEST(ParkFile, LeavesNothingBehindWhenItCannotPutTheFileInPlace) {
    const Folder folder;
    fs::create_directories(folder.file() + "/taken");
    EXPECT_FALSE(write_parked(folder.file(), small_context()));
    EXPECT_FALSE(fs::exists(folder.file() + ".part"));
}

}  // namespace
}  // namespace hotdesk::worker
