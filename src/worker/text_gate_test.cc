// SPDX-License-Identifier: MIT
#include "worker/text_gate.h"

#include <gtest/gtest.h>

namespace hotdesk::worker {
namespace {

using Pieces = std::vector<std::string>;

// What each push lets through, and at the end the flush.
Pieces through(TextGate gate, const Pieces& tokens) {
    Pieces out;
    for (const std::string& token : tokens) out.push_back(gate.push(token));
    out.push_back(gate.flush());
    return out;
}

TEST(TextGate, PlainTextPassesAtOnce) {
    EXPECT_EQ(through(TextGate({"END"}), {"one", " two"}), (Pieces{"one", " two", ""}));
}

TEST(TextGate, HoldsACharacterUntilItIsWhole) {
    EXPECT_EQ(through(TextGate(), {"a\xC3", "\xA9", "b"}), (Pieces{"a", "\xC3\xA9", "b", ""}));
    EXPECT_EQ(through(TextGate(), {"\xF0\x9F", "\x98", "\x80"}),
              (Pieces{"", "", "\xF0\x9F\x98\x80", ""}));
}

TEST(TextGate, AnUnfinishedCharacterComesOutAtTheEnd) {
    EXPECT_EQ(through(TextGate(), {"a\xC3"}), (Pieces{"a", "\xC3"}));
}

TEST(TextGate, NothingOfAStopStringPasses) {
    EXPECT_EQ(through(TextGate({"END"}), {"x E", "N", "D y", "z"}), (Pieces{"x ", "", "", "", ""}));
}

TEST(TextGate, WhatOnlyLookedLikeAStopStringPasses) {
    EXPECT_EQ(through(TextGate({"END"}), {"E", "N", "E", "N"}), (Pieces{"", "", "EN", "", "EN"}));
}

TEST(TextGate, TheEarliestOfSeveralStopStringsWins) {
    TextGate gate({"two", "", "one"});
    EXPECT_EQ(gate.push("a one two"), "a ");
    EXPECT_TRUE(gate.is_stopped());
}

TEST(TextGate, StrayContinuationBytesAreNotHeldForEver) {
    EXPECT_EQ(through(TextGate(), {"\x80\x80\x80\x80"}), (Pieces{"\x80\x80\x80\x80", ""}));
}

}  // namespace
}  // namespace hotdesk::worker
