// SPDX-License-Identifier: MIT
#include "config/restart.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

TEST(NeedsRestart, NamesWhatARunningDaemonCannotTakeUp) {
    Config before, after;
    after.server.listen = {"127.0.0.1:9000"};
    after.gpu.device = "none";
    after.logs.runs_kept = before.logs.runs_kept + 1;
    EXPECT_EQ(needs_restart(before, after),
              (std::vector<std::string>{"server.listen", "gpu.device", "logs.runs_kept"}));
}

TEST(NeedsRestart, IsSilentAboutWhatHoldsAtOnce) {
    Config before, after;
    after.gpu.budget = gib(1);
    after.queue.gate_age = "1s";
    after.fleet.runs_max = 3;
    after.agents.push_back({.name = "new"});
    EXPECT_TRUE(needs_restart(before, after).empty());
}

}  // namespace
}  // namespace hotdesk
