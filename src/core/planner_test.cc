// SPDX-License-Identifier: MIT
#include "core/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hotdesk {
namespace {

using testing::HasSubstr;

// Two layers of llama with round numbers: rows of 64, feed-forward of 128, two KV heads of 32.
ModelHeader small_llama() {
    ModelHeader m;
    m.architecture = "llama";
    m.layers = 2;
    m.embd = 64;
    m.ff = {128, 128};
    m.heads = {2, 2};
    m.heads_kv = {1, 1};
    m.key_length = m.value_length = 32;
    m.vocab_size = 100;
    m.tensors = {{"token_embd.weight", 1, {64, 100, 1, 1}, {0}, {12800}},
                 {"output.weight", 1, {64, 100, 1, 1}, {12800}, {12800}},
                 {"blk.0.odd.weight", 0, {25, 1, 1, 1}, {25600}, {100}}};
    return m;
}

MemoryPlan plan_of(const ModelHeader& header, const MemoryNeeds& needs) {
    const auto plan = plan_memory(header, needs);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? *plan : MemoryPlan{};
}

std::string error_of(const ModelHeader& header, const MemoryNeeds& needs) {
    const auto plan = plan_memory(header, needs);
    return plan ? "no error" : plan.error().message;
}

TEST(Planner, PutsAllButTheTokenEmbeddingOnTheDesk) {
    const MemoryPlan plan = plan_of(small_llama(), {.context = {256}});
    EXPECT_EQ(plan.device.weights, Bytes{12800 + 128});  // 100 bytes padded to 128
    EXPECT_EQ(plan.host.weights, Bytes{12800});
}

TEST(Planner, PutsEverythingInRamForAHostModel) {
    const MemoryPlan plan =
        plan_of(small_llama(), {.placement = Placement::kHost, .context = {256}});
    EXPECT_EQ(plan.device, MemoryParts{});
    EXPECT_EQ(plan.host.weights, Bytes{12800 + 12800 + 128});
    EXPECT_EQ(plan.host.kv, Bytes{2 * 256 * 2 * 32 * 2});
}

TEST(Planner, CountsAnOutputTiedToTheEmbeddingTwice) {
    ModelHeader tied = small_llama();
    tied.tensors.erase(tied.tensors.begin() + 1);
    const MemoryPlan plan = plan_of(tied, {.context = {256}});
    EXPECT_EQ(plan.device.weights, Bytes{12800 + 128});
    EXPECT_EQ(plan.host.weights, Bytes{12800});
}

TEST(Planner, RoundsThePoolUpTo256Cells) {
    const auto kv_of = [](int64_t context) {
        return plan_of(small_llama(), {.context = {context}}).device.kv;
    };
    const int64_t cell = 2 * 2 * 32 * 2;  // layers, K and V, head, f16
    EXPECT_EQ(kv_of(1), Bytes{256 * cell});
    EXPECT_EQ(kv_of(256), Bytes{256 * cell});
    EXPECT_EQ(kv_of(257), Bytes{512 * cell});
}

TEST(Planner, StoresQuantizedKvInBlocks) {
    const MemoryPlan plan = plan_of(small_llama(), {.context = {256}, .kv = KvStorage::kQ8_0});
    EXPECT_EQ(plan.device.kv, Bytes{256 * 2 * 2 * 34});
    ModelHeader odd = small_llama();
    odd.key_length = 48;
    EXPECT_THAT(error_of(odd, {.context = {256}, .kv = KvStorage::kQ8_0}),
                HasSubstr("multiple of 32; these have 48 and 32"));
    EXPECT_EQ(error_of(odd, {.context = {256}}), "no error");
}

TEST(Planner, TakesTheLargestMomentOfTheGraph) {
    // Feed-forward: 3 x (128 + 64) rows and a mask of 512 cells, for 512 tokens; 15 % on top.
    const int64_t feed_forward = 3 * 192 * 512 * 4 + 2 * 512 * 512;
    const MemoryNeeds needs{.context = {512}};
    EXPECT_EQ(plan_of(small_llama(), needs).device.compute,
              Bytes{feed_forward + feed_forward / 100 * 15});
    // Logits: 64 sequences of 20,000 words.
    ModelHeader wordy = small_llama();
    wordy.vocab_size = 20'000;
    const int64_t logits = 20'000 * 64 * 4 + 64 * 512 * 4;
    EXPECT_EQ(plan_of(wordy, {.context = {512}, .sequences = 64}).device.compute,
              Bytes{logits + logits / 100 * 15});
}

TEST(Planner, CountsASecondMaskForAWindow) {
    ModelHeader windowed = small_llama();
    windowed.window = 1024;
    const MemoryNeeds needs{.context = {4096}};
    const int64_t mask = 2 * 4096 * 512;
    const int64_t more = plan_of(windowed, needs).device.compute.value -
                         plan_of(small_llama(), needs).device.compute.value;
    EXPECT_NEAR(static_cast<double>(more), static_cast<double>(mask + mask / 100 * 15), 100);
}

TEST(Planner, KeepsAStateForEachSequenceOfARecurrentModel) {
    ModelHeader mamba = small_llama();
    mamba.architecture = "mamba";
    mamba.heads = mamba.heads_kv = {0, 0};
    mamba.key_length = mamba.value_length = 0;
    mamba.ssm_conv = 4;
    mamba.ssm_inner = 128;
    mamba.ssm_state = 16;
    const auto kv_of = [&](int sequences, int64_t context) {
        return plan_of(mamba, {.context = {context}, .sequences = sequences}).device.kv;
    };
    const int64_t state = (3 * 128 + 128 * 16) * 4;
    EXPECT_EQ(kv_of(1, 256), Bytes{2 * state});
    EXPECT_EQ(kv_of(5, 100'000), Bytes{5 * 2 * state});
    EXPECT_EQ(kv_of(kRecurrentContextsMax, 256), Bytes{16 * 2 * state});
    EXPECT_EQ(kv_of(64, 256), Bytes{16 * 2 * state});  // as many as a worker keeps
}

TEST(Planner, CountsTheStateOnlyOfLayersWithoutKvHeads) {
    ModelHeader hybrid = small_llama();
    hybrid.heads_kv = {1, 0};
    hybrid.ssm_conv = 4;
    hybrid.ssm_inner = 128;
    hybrid.ssm_state = 16;
    const int64_t state = (3 * 128 + 128 * 16) * 4;
    const int64_t attention = 256 * 2 * 32 * 2;
    EXPECT_EQ(plan_of(hybrid, {.context = {256}}).device.kv, Bytes{attention + state});
    hybrid.heads_kv = {1, 1};  // the file does not say which: both for each
    EXPECT_EQ(plan_of(hybrid, {.context = {256}}).device.kv, Bytes{2 * (attention + state)});
}

TEST(Planner, AddsUpToAFootprint) {
    const MemoryPlan plan{.device = {{100}, {20}, {3}}, .host = {{10}, {0}, {5}}};
    EXPECT_EQ(plan.footprint(), (Footprint{{123}, {15}}));
}

TEST(Planner, RefusesNeedsOutOfRange) {
    const ModelHeader m = small_llama();
    EXPECT_THAT(error_of(m, {.context = {0}}), HasSubstr("a context of 0 tokens"));
    EXPECT_EQ(error_of(m, {.context = {1 << 28}}), "no error");
    EXPECT_THAT(error_of(m, {.context = {(1 << 28) + 1}}), HasSubstr("a context of 268435457"));
    EXPECT_THAT(error_of(m, {.context = {256}, .sequences = 0}), HasSubstr("0 sequences"));
    EXPECT_EQ(error_of(m, {.context = {256}, .sequences = 256}), "no error");
    EXPECT_THAT(error_of(m, {.context = {256}, .sequences = 257}), HasSubstr("257 sequences"));
    EXPECT_THAT(error_of(m, {.context = {256}, .ubatch = 0}),
                HasSubstr("0 tokens computed at once"));
}

TEST(Planner, RefusesWhatItCannotPlan) {
    const MemoryNeeds needs{.context = {256}};
    ModelHeader adapter = small_llama();
    adapter.layers = 0;
    EXPECT_THAT(error_of(adapter, needs), HasSubstr("0 layers and 3 tensors is no language model"));
    ModelHeader vocabulary = small_llama();
    vocabulary.tensors.clear();
    EXPECT_THAT(error_of(vocabulary, needs), HasSubstr("2 layers and 0 tensors"));
    ModelHeader rwkv = small_llama();
    rwkv.architecture = "rwkv7";
    rwkv.heads_kv = {0, 0};
    EXPECT_THAT(error_of(rwkv, needs),
                HasSubstr("rwkv7 keeps neither KV nor a known kind of state"));
    ModelHeader wide = small_llama();
    wide.ff = {1 << 20, 1 << 20};
    EXPECT_EQ(error_of(wide, needs), "no error");
    wide.experts = wide.experts_used = 2;
    EXPECT_THAT(error_of(wide, needs), HasSubstr("rows of 2097152 numbers"));
}

TEST(KvStorage, IsReadAsItIsWritten) {
    EXPECT_EQ(parse_kv_storage("f16"), KvStorage::kF16);
    EXPECT_EQ(parse_kv_storage("q8_0"), KvStorage::kQ8_0);
    EXPECT_EQ(parse_kv_storage("q4_0").error().message,
              "unknown KV type \"q4_0\"; known are f16 and q8_0");
}

}  // namespace
}  // namespace hotdesk
