// SPDX-License-Identifier: MIT
#include "worker/contexts.h"

#include <gtest/gtest.h>

namespace hotdesk::worker {
namespace {

using Sizes = std::vector<size_t>;

TEST(ShareBatch, WhoDecodesGetsATokenWhateverThePromptsWant) {
    EXPECT_EQ(share_batch(Sizes{1, 9000, 1}, {.batch = 512, .chunk = 256}), (Sizes{1, 256, 1}));
    EXPECT_EQ(share_batch(Sizes{9000, 1}, {.batch = 2, .chunk = 256}), (Sizes{1, 1}));
    EXPECT_EQ(share_batch(Sizes{9000, 1}, {.batch = 1, .chunk = 256}), (Sizes{0, 1}));
}

TEST(ShareBatch, PromptsShareOneChunkInOrderOfArrival) {
    const BatchBounds bounds{.batch = 512, .chunk = 256};
    EXPECT_EQ(share_batch(Sizes{1, 200, 100, 50}, bounds), (Sizes{1, 200, 56, 0}));
    EXPECT_EQ(share_batch(Sizes{1, 256, 2}, bounds), (Sizes{1, 256, 0}));
    EXPECT_EQ(share_batch(Sizes{1, 255, 2}, bounds), (Sizes{1, 255, 1}));
}

TEST(ShareBatch, WhenNobodyDecodesTheWholeBatchIsAChunk) {
    EXPECT_EQ(share_batch(Sizes{9000}, {.batch = 512, .chunk = 256}), (Sizes{512}));
    EXPECT_EQ(share_batch(Sizes{}, {}), (Sizes{}));
}

TEST(CommonPrefix, EndsAtTheFirstDifferenceOrTheShorterEnd) {
    const std::vector<Token> a = {1, 2, 3};
    EXPECT_EQ(common_prefix(a, std::vector<Token>{1, 2, 4}), 2u);
    EXPECT_EQ(common_prefix(a, std::vector<Token>{1, 2}), 2u);
    EXPECT_EQ(common_prefix(a, a), 3u);
    EXPECT_EQ(common_prefix(a, std::vector<Token>{}), 0u);
}

TEST(ContextTable, TheIdleContextUsedLongestAgoIsTheOldest) {
    ContextTable table(3);
    Context& a = table.open("a");
    Context& b = table.open("b");
    EXPECT_EQ(table.oldest_idle(), nullptr);  // both are busy
    a.is_busy = b.is_busy = false;
    EXPECT_EQ(table.oldest_idle(), &a);
    table.touch(a);
    EXPECT_EQ(table.oldest_idle(), &b);
}

TEST(ContextTable, CountsOneCellForEachToken) {
    ContextTable table(2);
    table.open("a").tokens = {1, 2, 3};
    Context& b = table.open("b");
    b.tokens = {4, 5};
    EXPECT_EQ(table.cells_used(), Tokens{5});
    EXPECT_EQ(table.cells_busy(), Tokens{5});
    b.is_busy = false;
    EXPECT_EQ(table.cells_used(), Tokens{5});
    EXPECT_EQ(table.cells_busy(), Tokens{3});
    table.close(b);
    EXPECT_EQ(table.cells_used(), Tokens{3});
}

TEST(ContextTable, AClosedSequenceIsGivenOutAgain) {
    ContextTable table(1);
    Context& only = table.open("a");
    EXPECT_FALSE(table.has_free_sequence());
    table.close(only);
    EXPECT_EQ(table.open("b").sequence, 0);
}

TEST(ContextTable, AContextWithoutAKeyIsFoundByNobody) {
    ContextTable table(2);
    table.open("");
    EXPECT_EQ(table.find(""), nullptr);
    EXPECT_EQ(table.find("a"), nullptr);
}

}  // namespace
}  // namespace hotdesk::worker
