// SPDX-License-Identifier: MIT
#include "worker/model_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace hotdesk::worker {
namespace {

namespace fs = std::filesystem;

// A GGUF's first 24 bytes, and as much behind them as asked for.
std::string gguf(uint32_t version, uint64_t tensors, uint64_t pairs, size_t size = 1000) {
    std::string bytes(size, 'w');
    std::memcpy(bytes.data(), "GGUF", 4);
    std::memcpy(bytes.data() + 4, &version, 4);
    std::memcpy(bytes.data() + 8, &tensors, 8);
    std::memcpy(bytes.data() + 16, &pairs, 8);
    return bytes;
}

class ModelFile : public testing::Test {
  protected:
    ModelFile() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
    ~ModelFile() override { fs::remove_all(folder_); }

    std::string write(const std::string& content, const std::string& name = "m.gguf") {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
    // The code and the words of the refusal.
    static void expect_refused(const std::string& path, Code code, const std::string& words) {
        const Status checked = check_model_file(path);
        ASSERT_FALSE(checked) << words;
        EXPECT_EQ(checked.error().code, code);
        EXPECT_NE(checked.error().message.find(words), std::string::npos)
            << checked.error().message;
    }

    std::string folder_ = (fs::temp_directory_path() / "model_file_test_XXXXXX").string();
};

TEST_F(ModelFile, TakesTheVersionsThatTheEngineReads) {
    for (uint32_t version : {2u, 3u}) EXPECT_TRUE(check_model_file(write(gguf(version, 3, 5))));
    for (uint32_t version : {0u, 1u, 4u})
        expect_refused(write(gguf(version, 3, 5)), Code::kInvalid, "2 and 3 are read");
}

TEST_F(ModelFile, SaysWhatIsNoModel) {
    expect_refused(folder_ + "/none.gguf", Code::kNotFound, "No such file");
    expect_refused(folder_, Code::kInvalid, "not a regular file");
    expect_refused(write("this is a text, and a longer one"), Code::kInvalid,
                   "not GGUF: it begins with 74 68 69 73");
    expect_refused(write(""), Code::kInvalid, "cut off: 0 of at least 24 bytes");
    expect_refused(write(gguf(3, 0, 0).substr(0, 23)), Code::kInvalid, "cut off: 23 of");
    EXPECT_TRUE(check_model_file(write(gguf(3, 0, 0).substr(0, 24))));
}

TEST_F(ModelFile, RefusesCountsThatAFileOfThisSizeCannotHold) {
    EXPECT_TRUE(check_model_file(write(gguf(3, 1000 / 32, 1000 / 13))));
    expect_refused(write(gguf(3, 1000 / 32 + 1, 1)), Code::kInvalid, "claims 32 tensors");
    expect_refused(write(gguf(3, 1, 1000 / 13 + 1)), Code::kInvalid, "and 77 keys");
    expect_refused(write(gguf(3, UINT64_MAX, 1)), Code::kInvalid, "claims");
}

TEST_F(ModelFile, LooksAtEveryPartOfASplitModel) {
    const std::string first = write(gguf(3, 1, 1), "x-00001-of-00003.gguf");
    write(gguf(3, 1, 1), "x-00002-of-00003.gguf");
    expect_refused(first, Code::kNotFound, "part 3 of 3");
    write("no model, but long enough", "x-00003-of-00003.gguf");
    expect_refused(first, Code::kInvalid, "x-00003-of-00003.gguf is not GGUF");
    write(gguf(3, 1, 1), "x-00003-of-00003.gguf");
    EXPECT_TRUE(check_model_file(first));
}

TEST_F(ModelFile, IsDeniedToWhoMayNotReadIt) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const std::string path = write(gguf(3, 1, 1));
    fs::permissions(path, fs::perms::none);
    expect_refused(path, Code::kDenied, "Permission denied");
}

TEST_F(ModelFile, IsKnownByItsContentAndItsSize) {
    const std::string content = gguf(3, 1, 1, 3 << 20);
    const auto identity = model_identity(write(content));
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->size(), 16u);
    EXPECT_EQ(model_identity(write(content, "copy.gguf")), identity);
    EXPECT_NE(model_identity(write(content + "w")), identity);
    for (size_t at : {size_t{30}, size_t{(1 << 20) - 1}, content.size() - 1}) {
        std::string other = content;
        other[at] = 'x';
        EXPECT_NE(model_identity(write(other)), identity) << at;
    }
    EXPECT_EQ(model_identity(folder_ + "/none.gguf").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace hotdesk::worker
