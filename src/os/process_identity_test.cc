// SPDX-License-Identifier: MIT
#include "os/process_identity.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace hotdesk {
namespace {

// A child that only waits to be killed, under a name that is meant to mislead.
class Sleeper {
  public:
    Sleeper() {
        int ready[2];
        EXPECT_EQ(pipe(ready), 0);
        pid_ = fork();
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prctl(PR_SET_NAME, ") Z 1 1 (x)");
            static_cast<void>(write(ready[1], "x", 1));
            for (;;) pause();
        }
        char byte = 0;
        EXPECT_EQ(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        close(ready[1]);
    }
    ~Sleeper() { end(); }
    void end() {
        if (pid_ == 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    // Returns once the state that `options` asks for is reached; the process is not reaped.
    void await(int options) const {
        siginfo_t info{};
        EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, options | WNOWAIT), 0);
    }
    pid_t pid() const { return pid_; }
    ProcessIdentity identity() const {
        ProcessIdentity who = *own_identity();
        who.pid = pid_;
        who.start_ticks = process_stat(pid_)->start_ticks;
        return who;
    }

  private:
    pid_t pid_ = 0;
};

TEST(ProcessIdentity, KnowsThisProcess) {
    const auto self = own_identity();
    ASSERT_TRUE(self);
    EXPECT_EQ(self->pid, getpid());
    EXPECT_EQ(self->boot_id, boot_id());
    EXPECT_GT(self->start_ticks, 0u);
    EXPECT_EQ(life_of(*self), Life::kAlive);
    const auto all = all_processes();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [](const ProcessStat& stat) { return stat.pid == getpid(); }));
}

TEST(ProcessIdentity, IsNotMisledByTheNameOfAProgram) {
    const Sleeper sleeper;
    const auto stat = process_stat(sleeper.pid());
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->parent, getpid());
    EXPECT_EQ(stat->session, getsid(0));
    EXPECT_EQ(stat->uid, geteuid());
    EXPECT_FALSE(stat->has_ended());
}

TEST(ProcessIdentity, FollowsAProcessThroughItsLife) {
    Sleeper sleeper;
    const ProcessIdentity who = sleeper.identity();
    EXPECT_EQ(life_of(who), Life::kAlive);
    const auto pidfd = watch_process(who);
    ASSERT_TRUE(pidfd);
    EXPECT_TRUE(signal_process(*pidfd, SIGSTOP));
    sleeper.await(WSTOPPED);
    EXPECT_EQ(life_of(who), Life::kStopped);
    EXPECT_FALSE(has_ended(*pidfd));
    EXPECT_TRUE(signal_process(*pidfd, SIGKILL));
    sleeper.await(WEXITED);
    EXPECT_TRUE(has_ended(*pidfd));  // and nobody has reaped it
    EXPECT_EQ(life_of(who), Life::kDead);
    sleeper.end();
    EXPECT_EQ(life_of(who), Life::kDead);
    EXPECT_TRUE(signal_process(*pidfd, SIGKILL));  // a process already gone is a success
    EXPECT_FALSE(process_stat(who.pid));
}

TEST(ProcessIdentity, ANumberIsNotEnough) {
    const Sleeper sleeper;
    const ProcessIdentity who = sleeper.identity();
    ProcessIdentity reused = who;
    ++reused.start_ticks;
    EXPECT_EQ(life_of(reused), Life::kDead);
    ProcessIdentity before_the_boot = who;
    before_the_boot.boot_id = "another";
    EXPECT_EQ(life_of(before_the_boot), Life::kDead);
    ProcessIdentity elsewhere = who;
    elsewhere.pid_namespace = 1;
    EXPECT_EQ(life_of(elsewhere), Life::kUnknown);
    ProcessIdentity nobody = who;
    nobody.pid = 0;
    EXPECT_EQ(life_of(nobody), Life::kDead);
    EXPECT_EQ(watch_process(reused).error().code, Code::kNotFound);
    EXPECT_EQ(watch_process(elsewhere).error().code, Code::kUnavailable);
}

TEST(ProcessIdentity, AnIdentityWithoutANamespaceIsOfOurs) {
    const Sleeper sleeper;
    ProcessIdentity who = sleeper.identity();
    who.pid_namespace = 0;
    EXPECT_EQ(life_of(who), Life::kAlive);
}

}  // namespace
}  // namespace hotdesk
