// SPDX-License-Identifier: MIT
#include "os/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "os/run_log.h"
#include "os/ticket.h"

namespace hotdesk {
namespace {

using testing::HasSubstr;

constexpr int kPatienceMs = 20'000;  // a bound on a broken test, not a wait

ChildSpec shell(const std::string& script) {
    return {.command = {"sh", "-c", script},
            .directory = "/",
            .env = {},
            .marker = "r-1:" + random_nonce()};
}

void wait_readable(const Fd& fd) {
    pollfd watched{fd.get(), POLLIN, 0};
    ASSERT_EQ(poll(&watched, 1, kPatienceMs), 1);
}

// Everything the child writes until all of it has closed its output.
std::string output_of(const Child& child) {
    std::string text;
    char buffer[4096];
    for (;;) {
        pollfd watched{child.output.get(), POLLIN, 0};
        if (poll(&watched, 1, kPatienceMs) != 1) return text + " (and no end)";
        const ssize_t n = read(child.output.get(), buffer, sizeof buffer);
        if (n <= 0) return text;
        text.append(buffer, static_cast<size_t>(n));
    }
}

int exit_code(const Child& child) {
    wait_readable(child.pidfd);
    return reap(child)->value_or(-1);
}

// The first line of its output, while it runs on.
std::string first_line(const Child& child) {
    std::string text;
    char c = 0;
    for (;;) {
        pollfd watched{child.output.get(), POLLIN, 0};
        if (poll(&watched, 1, kPatienceMs) != 1 || read(child.output.get(), &c, 1) != 1 ||
            c == '\n')
            return text;
        text += c;
    }
}

TEST(Child, HasItsOwnSessionDirectoryEnvironmentAndNoInput) {
    ChildSpec spec =
        shell("pwd; echo $COLOUR; ps -o sid= -p $$ | tr -d ' '; echo $$; cat; echo to stderr >&2");
    spec.directory = "/usr";
    spec.env["COLOUR"] = "green";
    const auto child = start_child(spec);
    ASSERT_TRUE(child) << child.error().message;
    const std::string pid = std::to_string(child->who.pid);
    EXPECT_EQ(output_of(*child), "/usr\ngreen\n" + pid + "\n" + pid + "\nto stderr\n");
    EXPECT_EQ(exit_code(*child), 0);
}

TEST(Child, TellsTheExitCodeOrTheSignal) {
    const auto seven = start_child(shell("exit 7"));
    EXPECT_EQ(exit_code(*seven), 7);
    const auto killed = start_child(shell("kill -9 $$"));
    EXPECT_EQ(exit_code(*killed), 128 + 9);
}

TEST(Child, HasNoExitCodeWhileItRuns) {
    const auto child = start_child(shell("exec sleep 1000"));
    EXPECT_EQ(*reap(*child), std::nullopt);
    ASSERT_TRUE(ask_to_end(*child));
    EXPECT_EQ(exit_code(*child), 128 + SIGTERM);
    EXPECT_FALSE(reap(*child));  // once
}

TEST(Child, StartsWithSignalsAsAShellWouldGiveThem) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    const auto old = signal(SIGINT, SIG_IGN);
    const auto child = start_child(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
    signal(SIGINT, old);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(output_of(*child), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    EXPECT_EQ(exit_code(*child), 0);
}

TEST(Child, InheritsNoDescriptor) {
    const Fd leaky(open("/dev/null", O_RDONLY));  // not close-on-exec
    const auto child = start_child(shell("ls /proc/self/fd | tr '\\n' ' '"));
    EXPECT_EQ(output_of(*child), "0 1 2 3 ");  // 3 is ls reading the folder
    EXPECT_EQ(exit_code(*child), 0);
}

TEST(Child, SaysWhatCouldNotBeStarted) {
    const auto error_of = [](ChildSpec spec) { return start_child(spec).error(); };
    ChildSpec spec{.command = {"no-such-program"}, .directory = "/", .env = {}, .marker = "m"};
    EXPECT_EQ(error_of(spec).code, Code::kNotFound);
    EXPECT_THAT(error_of(spec).message, HasSubstr("command not found: no-such-program (PATH is "));
    spec.command = {"/no/such/program"};
    EXPECT_EQ(
        error_of(spec),
        (Error{Code::kNotFound, "cannot run /no/such/program in /: No such file or directory"}));
    spec.command = {"/etc/passwd"};
    EXPECT_EQ(error_of(spec).code, Code::kDenied);
    spec = shell("true");
    spec.directory = "/no/such/place";
    EXPECT_EQ(error_of(spec),
              (Error{Code::kNotFound,
                     "cannot enter directory /no/such/place: No such file or directory"}));
    spec.command.clear();
    EXPECT_EQ(error_of(spec).code, Code::kInvalid);
}

TEST(Child, AGrandchildThatOutlivesTheRunIsFoundAndEnded) {
    // One stays in the session, one makes a session of its own.
    const ChildSpec spec = shell("sleep 1000 & setsid sh -c 'echo started; sleep 1000' & exit 0");
    const auto child = start_child(spec);
    EXPECT_EQ(first_line(*child), "started");
    EXPECT_EQ(exit_code(*child), 0);
    const JobTrace trace = trace_of_run(child->who, spec.marker, true);
    ASSERT_TRUE(end_leftovers(trace, Millis{kPatienceMs}));
    EXPECT_TRUE(kill_leftovers(trace).empty());
    EXPECT_EQ(output_of(*child), "");  // nobody holds the pipe open any more
}

// A daemon that starts a run and is killed with -9, and the one after it that tidies up.
TEST(Child, NothingIsLeftAfterTheDaemonWasKilled) {
    struct Shared {
        int64_t pid = 0;
        uint64_t start_ticks = 0;
        pid_t escaped = 0;  // the grandchild in a session of its own
    };
    auto* const shared = static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(shared, MAP_FAILED);
    const ChildSpec spec =
        shell("trap '' TERM; sleep 1000 & setsid sh -c 'echo $$; exec sleep 1000' & wait");
    const pid_t daemon = fork();
    if (daemon == 0) {
        const auto child = start_child(spec);
        if (!child) _exit(1);
        shared->escaped = std::stoi(first_line(*child));
        shared->start_ticks = child->who.start_ticks;
        shared->pid = child->who.pid;
        raise(SIGKILL);
    }
    int how = 0;
    ASSERT_EQ(waitpid(daemon, &how, 0), daemon);
    ASSERT_TRUE(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    ProcessIdentity run = *own_identity();
    run.pid = static_cast<pid_t>(shared->pid);
    run.start_ticks = shared->start_ticks;
    const pid_t escaped = shared->escaped;
    munmap(shared, sizeof(Shared));
    ASSERT_TRUE(process_stat(escaped));

    const JobTrace trace = trace_of_run(run, spec.marker, false);
    ASSERT_TRUE(end_leftovers(trace, Millis{kPatienceMs}));
    EXPECT_TRUE(kill_leftovers(trace).empty());
    const auto left = process_stat(escaped);
    EXPECT_TRUE(!left || left->has_ended());
}

TEST(Child, ARunOfAnotherMarkerIsLeftAlone) {
    const ChildSpec ours = shell("true"), theirs = shell("exec sleep 1000");
    const auto other = start_child(theirs);
    ProcessIdentity unknown = *own_identity();
    unknown.pid = 0;  // killed before the pid was on record: only the marker is known
    unknown.start_ticks = 0;
    ASSERT_TRUE(end_leftovers(trace_of_run(unknown, ours.marker, false), Millis{kPatienceMs}));
    EXPECT_EQ(*reap(*other), std::nullopt);
    ASSERT_TRUE(end_leftovers(trace_of_run(unknown, theirs.marker, false), Millis{kPatienceMs}));
    EXPECT_EQ(exit_code(*other), 128 + SIGKILL);
}

TEST(Child, ItsOutputGoesToABoundedLog) {
    const Fd memory(memfd_create("log", MFD_CLOEXEC));
    const std::string path = "/proc/self/fd/" + std::to_string(memory.get());
    auto log = RunLog::create(path, kib(4));
    const auto child = start_child(shell("seq 1 20000; echo the end"));
    while (true) {
        wait_readable(child->output);
        if (copy_output(child->output, *log)) break;
    }
    EXPECT_EQ(exit_code(*child), 0);
    EXPECT_LE(log->size(), kib(4));
    EXPECT_THAT(read_log(path, -8, kib(1))->text, "the end\n");
}

}  // namespace
}  // namespace hotdesk
