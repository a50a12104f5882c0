// SPDX-License-Identifier: MIT
#include "cli/init_command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/config.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

const Environment kNothing = [](const std::string&) { return std::nullopt; };

TEST(Init, WritesAConfigThatIsRightWithoutModels) {
    const auto config = parse_config(first_config({}), "/x/hotdesk.toml", kNothing);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_TRUE(config->models.empty());
}

TEST(Init, WritesAConfigThatIsRightWithModels) {
    const Machine machine{
        .has_gpu = true,
        .models = {{"big", "/m/\"big\".gguf", gib(5)}, {"small", "/m/small.gguf", mib(80)}}};
    const auto config = parse_config(first_config(machine), "/x/hotdesk.toml", kNothing);
    ASSERT_TRUE(config) << config.error().message;
    ASSERT_EQ(config->models.size(), 2u);
    EXPECT_EQ(config->models[0].file, "/m/\"big\".gguf");
    EXPECT_EQ(config->models[0].placement, "desk");
    EXPECT_EQ(config->tasks.at(0).models, (Texts{"big", "small"}));
}

TEST(Init, PutsModelsOnTheCpuWithoutADevice) {
    const auto config =
        parse_config(first_config({.has_gpu = false, .models = {{"m", "/m.gguf", mib(1)}}}),
                     "/x/hotdesk.toml", kNothing);
    ASSERT_TRUE(config);
    EXPECT_EQ(config->models.at(0).placement, "cpu");
}

// A directory of its own, gone afterwards.
class InitFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "hotdesk-init-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { fs::remove_all(directory_); }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories((directory_ / name).parent_path());
        std::ofstream(directory_ / name) << text;
    }

    fs::path directory_;
};

TEST_F(InitFiles, FindsModelsTheLargestFirstAndEachOnce) {
    write("a/Tiny-Q4.gguf", "GGUF");
    write("b/Tiny-Q4.gguf", "GGUF12");
    write("b/big-00001-of-00002.gguf", "GGUF1234");
    write("b/big-00002-of-00002.gguf", "GGUF1234");
    write("b/mmproj-x.gguf", "GGUF");
    write("b/fake.gguf", "<html>");
    std::vector<std::string> names;
    for (const auto& model : find_models({directory_, directory_ / "a", directory_ / "none"}))
        names.push_back(model.name);
    EXPECT_EQ(names, (std::vector<std::string>{"big-00001-of-00002", "tiny-q4", "tiny-q4-2"}));
}

TEST_F(InitFiles, NeverOverwrites) {
    write("hotdesk.toml", "mine");
    const std::vector<std::string> args{directory_ / "hotdesk.toml"};
    EXPECT_EQ(init_command(args), 73);
    std::string kept;
    std::getline(std::ifstream(directory_ / "hotdesk.toml"), kept);
    EXPECT_EQ(kept, "mine");
}

TEST_F(InitFiles, SaysUsageForAnUnknownOption) {
    const std::vector<std::string> args{"--force"};
    EXPECT_EQ(init_command(args), 64);
}

}  // namespace
}  // namespace hotdesk
