// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

Result<int> half(int n) {
    if (n % 2 != 0) return fail(Code::kInvalid, "odd");
    return n / 2;
}

Result<int> quarter(int n) {
    HD_TRY(int h, half(n));
    HD_TRY(int q, half(h));
    return q;
}

TEST(Result, TryPassesTheValueOn) {
    EXPECT_EQ(quarter(8), 2);
}

TEST(Result, TryReturnsTheFirstErrorUnchanged) {
    EXPECT_EQ(quarter(6).error(), (Error{Code::kInvalid, "odd"}));
}

}  // namespace
}  // namespace hotdesk
