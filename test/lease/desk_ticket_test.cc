// SPDX-License-Identifier: MIT
// DeskTicket as the daemon uses it: several turns in one process, and no call that waits.

#include "os/desk_ticket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

namespace hotdesk {
namespace {

bool is_readable(int fd, int wait_ms) {
    pollfd watched{fd, POLLIN, 0};
    return poll(&watched, 1, wait_ms) > 0;
}

constexpr int kPatience = 30'000;  // never reached unless something is broken

class DeskTicketTest : public testing::Test {
  protected:
    void SetUp() override {
        char pattern[] = "/tmp/hotdesk-ticket-XXXXXX";
        folder_ = mkdtemp(pattern);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    DeskTicket enqueue(const std::string& what) {
        auto ticket = DeskTicket::enqueue({{"gpu0", folder_}, what, std::nullopt, std::nullopt});
        EXPECT_TRUE(ticket) << ticket.error().message;
        return std::move(*ticket);
    }

    // Moves on whenever the descriptor says so, until the desk is held.
    static bool is_granted_in_time(DeskTicket& ticket) {
        while (is_readable(ticket.watch_fd(), kPatience))
            if (ticket.poll_granted().value()) return true;
        return false;
    }

    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/gpu0"))
            names.push_back(entry.path().filename());
        return names;
    }

    std::string folder_;
};

TEST_F(DeskTicketTest, TheFirstOneHoldsTheDeskAtOnce) {
    DeskTicket first = enqueue("first");
    EXPECT_TRUE(is_readable(first.watch_fd(), kPatience));
    EXPECT_EQ(first.poll_granted(), true);
    EXPECT_TRUE(first.is_held());
    EXPECT_EQ(first.waiting_for().value(), std::nullopt);
}

TEST_F(DeskTicketTest, TheSecondOneIsGrantedWhenTheFirstGivesBack) {
    DeskTicket first = enqueue("first");
    DeskTicket second = enqueue("second");
    EXPECT_EQ(first.poll_granted(), true);
    EXPECT_EQ(second.poll_granted(), false);
    EXPECT_EQ(second.waiting_for().value()->place, 2);
    EXPECT_EQ(second.waiting_for().value()->ticket.what, "first");
    first.give_back();
    EXPECT_TRUE(is_granted_in_time(second));
}

TEST_F(DeskTicketTest, OneBehindAWaiterThatLeavesWatchesTheNextBeforeIt) {
    DeskTicket first = enqueue("first");
    DeskTicket second = enqueue("second");
    DeskTicket third = enqueue("third");
    EXPECT_EQ(first.poll_granted(), true);
    EXPECT_EQ(third.poll_granted(), false);
    second.give_back();
    EXPECT_TRUE(is_readable(third.watch_fd(), kPatience));
    EXPECT_EQ(third.poll_granted(), false);
    first.give_back();
    EXPECT_TRUE(is_granted_in_time(third));
}

TEST_F(DeskTicketTest, ABellRungBeforeTheFirstLookIsNotMissed) {
    DeskTicket first = enqueue("first");
    DeskTicket second = enqueue("second");
    EXPECT_EQ(first.poll_granted(), true);
    first.give_back();
    EXPECT_TRUE(is_granted_in_time(second));
}

TEST_F(DeskTicketTest, TheHolderSeesThatSomebodyWaits) {
    DeskTicket holder = enqueue("models");
    EXPECT_EQ(holder.poll_granted(), true);
    const Fd line = holder.watch_line().value();
    EXPECT_EQ(holder.waiters_behind(), 0);
    EXPECT_FALSE(is_readable(line.get(), 0));
    DeskTicket stranger = enqueue("stranger");
    EXPECT_TRUE(is_readable(line.get(), kPatience));
    EXPECT_EQ(holder.waiters_behind(), 1);
    stranger.give_back();
    EXPECT_EQ(holder.waiters_behind(), 0);
}

TEST_F(DeskTicketTest, DestroyingItGivesItBackAndLeavesNothing) {
    {
        DeskTicket first = enqueue("first");
        EXPECT_EQ(first.poll_granted(), true);
    }
    EXPECT_EQ(files(), std::vector<std::string>{"sequence"});
}

TEST_F(DeskTicketTest, AMovedOneIsStillHeld) {
    DeskTicket first = enqueue("first");
    EXPECT_EQ(first.poll_granted(), true);
    DeskTicket moved = std::move(first);
    DeskTicket second = enqueue("second");
    EXPECT_EQ(second.poll_granted(), false);
    moved = std::move(second);  // gives the first one back
    EXPECT_TRUE(is_granted_in_time(moved));
    EXPECT_EQ(moved.ticket().what, "second");
}

TEST_F(DeskTicketTest, AForkedChildGivesNothingBack) {
    DeskTicket first = enqueue("first");
    EXPECT_EQ(first.poll_granted(), true);
    const pid_t child = fork();
    if (child == 0) {
        first.give_back();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    DeskTicket second = enqueue("second");
    EXPECT_EQ(second.poll_granted(), false);
}

TEST_F(DeskTicketTest, AHolderThatIsKilledIsSucceededThoughItsChildKeepsTheLock) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        DeskTicket held = enqueue("owner");
        const bool is_held = held.poll_granted().value();
        const pid_t keeper = fork();
        if (keeper == 0) {
            pause();
            _exit(0);
        }
        const pid_t told = is_held ? keeper : -1;
        if (write(ready[1], &told, sizeof told) != sizeof told) _exit(1);
        pause();
    }
    pid_t keeper = 0;
    ASSERT_EQ(read(ready[0], &keeper, sizeof keeper), static_cast<ssize_t>(sizeof keeper));
    ASSERT_GT(keeper, 0);
    DeskTicket next = enqueue("next");
    EXPECT_EQ(next.poll_granted(), false);
    kill(owner, SIGKILL);
    EXPECT_TRUE(is_granted_in_time(next));
    kill(keeper, SIGKILL);
    waitpid(owner, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST_F(DeskTicketTest, ADeskNeedsAName) {
    for (const char* name : {"", ".", "..", "a/b", ".hidden", "a b"}) {
        const auto ticket = DeskTicket::enqueue({{name, folder_}, "", std::nullopt, std::nullopt});
        ASSERT_FALSE(ticket) << name;
        EXPECT_EQ(ticket.error().code, Code::kInvalid) << name;
    }
}

}  // namespace
}  // namespace hotdesk
