// SPDX-License-Identifier: MIT
#include "base/shared.h"

#include <gtest/gtest.h>

#include <string>

namespace hotdesk {
namespace {

TEST(Shared, CopiesHoldTheSameObject) {
    const Shared<std::string> first("a long text");
    Shared<std::string> second;
    second = first;
    EXPECT_EQ(&*second, &*first);
}

TEST(Shared, IsEqualByValue) {
    const Shared<std::string> first(std::string("same"));
    const Shared<std::string> second(std::string("same"));
    EXPECT_NE(&*first, &*second);
    EXPECT_EQ(first, second);
    EXPECT_NE(first, Shared<std::string>(std::string("other")));
    EXPECT_EQ(Shared<std::string>(), Shared<std::string>(std::string()));
}

TEST(Shared, WhatWasMovedFromIsStillAValue) {
    Shared<std::string> first(std::string("kept"));
    const Shared<std::string> second = std::move(first);
    EXPECT_EQ(*first, "kept");
    EXPECT_EQ(*second, "kept");
}

}  // namespace
}  // namespace hotdesk
