// SPDX-License-Identifier: MIT
#include "core/why.h"

#include <gtest/gtest.h>

#include <set>

namespace hotdesk {
namespace {

TEST(Why, HasAKeyOfItsOwnForEachReasonAndReadsItBack) {
    std::set<std::string_view> keys;
    for (int i = 0; i <= static_cast<int>(Reason::kReloaded); ++i) {
        auto reason = static_cast<Reason>(i);
        EXPECT_TRUE(keys.insert(to_string(reason)).second) << to_string(reason);
        EXPECT_EQ(reason_from(to_string(reason)), reason);
        EXPECT_FALSE(explain({.reason = reason, .who = "it"}).empty());
    }
    EXPECT_EQ(reason_from("no such reason"), Reason::kDue);
}

TEST(Why, ExplainsWithTheNumbersInTheirUnits) {
    EXPECT_EQ(explain({Reason::kForeignPressure, gib(2).value, mib(310).value, ""}),
              "needs 2.0 GiB, 310 MiB are free: other programs hold the rest");
    EXPECT_EQ(explain({Reason::kIdle, 600'000, 601'000, ""}),
              "unused for 10 min 1 s, keep is 10 min");
    EXPECT_EQ(explain({.reason = Reason::kExited, .have = 3}),
              "the command ended with exit code 3");
}

}  // namespace
}  // namespace hotdesk
