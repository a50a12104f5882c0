// SPDX-License-Identifier: MIT
#include "worker/options.h"

#include <gtest/gtest.h>

namespace hotdesk::worker {
namespace {

using Words = std::vector<std::string>;

// With what is always needed.
Result<WorkerOptions> parse(Words more) {
    more.insert(more.begin(), {"--model", "/m.gguf", "--fd", "3"});
    return parse_options(more);
}

std::string refusal(const Words& words) {
    const auto parsed = parse_options(words);
    return parsed ? "" : parsed.error().message;
}

TEST(WorkerOptions, HaveDefaults) {
    const auto parsed = parse({});
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->engine.model, "/m.gguf");
    EXPECT_EQ(parsed->fd, 3);
    EXPECT_EQ(parsed->parent, 0);
    EXPECT_FALSE(parsed->is_once);
    EXPECT_EQ(parsed->engine.cells, Tokens{4096});
    EXPECT_EQ(parsed->engine.gpu_layers, -1);
    EXPECT_EQ(parsed->engine.kv, KvType::kF16);
    EXPECT_EQ(parsed->session.slots, 8);
}

TEST(WorkerOptions, GoWhereTheyBelong) {
    const auto parsed = parse(
        {"--parent",   "7",     "--engine-dir", "/e",  "--backend", "/a.so", "--backend", "/b.so",
         "--device",   "CUDA1", "--gpu-layers", "12",  "--ctx",     "9000",  "--slots",   "3",
         "--contexts", "20",    "--batch",      "256", "--ubatch",  "128",   "--chunk",   "64",
         "--kv",       "q8_0",  "--threads",    "2"});
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->parent, 7);
    EXPECT_EQ(parsed->engine.library_dir, "/e");
    EXPECT_EQ(parsed->engine.backends, (Words{"/a.so", "/b.so"}));
    EXPECT_EQ(parsed->engine.device, "CUDA1");
    EXPECT_EQ(parsed->engine.gpu_layers, 12);
    EXPECT_EQ(parsed->engine.cells, Tokens{9000});
    EXPECT_EQ(parsed->session.slots, 3);
    EXPECT_EQ(parsed->engine.sequences, 20);
    EXPECT_EQ(parsed->engine.batch, 256);
    EXPECT_EQ(parsed->engine.ubatch, 128);
    EXPECT_EQ(parsed->session.chunk, 64u);
    EXPECT_EQ(parsed->engine.kv, KvType::kQ8);
    EXPECT_EQ(parsed->engine.threads, 2);
}

TEST(WorkerOptions, ADeviceIsNamedOrChosen) {
    EXPECT_EQ(parse({"--device", "none"})->engine.device, "none");
    EXPECT_EQ(parse({"--device", "auto"})->engine.device, "");
    EXPECT_EQ(parse({"--gpu-layers", "all"})->engine.gpu_layers, -1);
    EXPECT_EQ(parse({"--gpu-layers", "0"})->engine.gpu_layers, 0);
}

// Every slot needs a sequence, and every sequence may want its token in one batch.
TEST(WorkerOptions, SlotsHaveSequencesAndRoomInABatch) {
    const auto many = parse({"--slots", "200", "--contexts", "100", "--batch", "150"});
    EXPECT_EQ(many->engine.sequences, 200);
    EXPECT_EQ(many->engine.batch, 200);
    const auto few = parse({"--slots", "4", "--contexts", "100", "--batch", "150"});
    EXPECT_EQ(few->engine.sequences, 100);
    EXPECT_EQ(few->engine.batch, 150);
}

TEST(WorkerOptions, NameWhatIsWrong) {
    EXPECT_EQ(refusal({"--fd", "3"}), "--model is missing");
    EXPECT_EQ(refusal({"--model", "m"}), "exactly one of --fd and --once is needed");
    EXPECT_EQ(refusal({"--model", "m", "--once", "--fd", "3"}),
              "exactly one of --fd and --once is needed");
    EXPECT_EQ(refusal({"--model"}), "--model needs a value, or is not known");
    EXPECT_EQ(refusal({"--modell", "m"}), "unknown option --modell");
    EXPECT_EQ(refusal({"--ctx", "0"}), "--ctx takes a whole number of at least 1, not \"0\"");
    EXPECT_EQ(refusal({"--fd", "-1"}), "--fd takes a whole number of at least 0, not \"-1\"");
    for (const char* number : {"", "1x", " 1", "1.5", "99999999999999999999"})
        EXPECT_NE(refusal({"--slots", number}), "") << number;
    for (const char* layers : {"-1", "some", ""})
        EXPECT_NE(refusal({"--gpu-layers", layers}), "") << layers;
    EXPECT_EQ(refusal({"--kv", "q4"}), "--kv takes f16 or q8_0, not \"q4\"");
}

TEST(WorkerOptions, HelpNeedsNothingElse) {
    const auto parsed = parse_options({"--help"});
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->wants_help);
}

}  // namespace
}  // namespace hotdesk::worker
