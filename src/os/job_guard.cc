// SPDX-License-Identifier: MIT
#include "os/job_guard.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "os/job_session.h"

namespace hotdesk {

// Shared between runner and guard: when the desk is to be given back at the latest, 0 for never.
// When the next in line has killed an overdue guard, the runner knows from it why.
class Runner {
  public:
    static Result<Runner> make() {
        HD_TRY(const ProcessIdentity self, own_identity());
        HD_TRY(Fd pidfd, watch_process(self));
        void* const page = mmap(nullptr, sizeof(Deadline), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return fail(Code::kInternal, fmt::format("no shared page: {}", std::strerror(errno)));
        return Runner(self.pid, std::move(pidfd), new (page) Deadline(0));
    }

    pid_t pid() const { return pid_; }
    const Fd& pidfd() const { return pidfd_; }
    void set_deadline(Instant deadline) { *deadline_ = deadline.ms; }
    Instant deadline() const { return {*deadline_}; }

  private:
    using Deadline = std::atomic<int64_t>;
    Runner(pid_t pid, Fd pidfd, Deadline* deadline)
        : pid_(pid), pidfd_(std::move(pidfd)), deadline_(deadline) {}

    pid_t pid_;
    Fd pidfd_;
    Deadline* deadline_;  // never unmapped: one page until the process ends
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExitCannotWrite = 73;

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void say(const std::string& line) {
    fmt::print(stderr, "hotdesk: {}\n", line);
}

// Ends every descendant of this process and reaps it. Requires: we are a subreaper, so that each
// orphan comes to us. `leader` is told the status of the process `pid`.
void end_children(pid_t pid, std::optional<int>& leader) {
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG | __WALL);
        if (ended == pid && ended > 0) leader = status;
        if (ended > 0) continue;
        if (ended < 0 && errno == ECHILD) return;
        for (const ProcessStat& process : all_processes())
            if (process.parent == getpid()) kill(process.pid, SIGKILL);
        siginfo_t any{};
        waitid(P_ALL, 0, &any, WEXITED | WNOWAIT | __WALL);  // until one has ended
    }
}

// ---- the job --------------------------------------------------------------------------------

// The environment of the job: ours, and the markers of all desks that it holds.
std::vector<std::string> marked_environment(const std::string& marker) {
    const std::string prefix = std::string(kLeaseVariable) + "=";
    std::string ours = prefix + marker;
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (!text.starts_with(prefix))
            all.emplace_back(text);
        else
            ours +=
                fmt::format(" {}", text.substr(prefix.size()));  // we run under a lease ourselves
    }
    all.push_back(std::move(ours));
    return all;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> all;
    for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
    all.push_back(nullptr);
    return all;
}

struct Started {
    pid_t pid = -1;
    int error = 0;  // errno of fork or exec
};

// vfork: the child borrows our memory until exec, which spares copying it, the largest part of a
// hand-over. It must not return, allocate or change what we own; `error` is how it speaks.
Started start_job(const GuardedJob& job, const std::string& marker, const sigset_t& mask) {
    const std::vector<std::string> environment = marked_environment(marker);
    const std::vector<char*> words = pointers(job.command);
    const std::vector<char*> variables = pointers(environment);
    const pid_t guard = getpid();
    volatile int error = 0;
    const pid_t pid = vfork();
    if (pid != 0) return {pid, pid < 0 ? errno : error};
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard) _exit(kExitNotStarted);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    execvpe(job.program.c_str(), words.data(), variables.data());  // a script without #! runs in sh
    error = errno;
    _exit(kExitNotStarted);
}

// ---- the guard ------------------------------------------------------------------------------

class Guard {
  public:
    Guard(DeskTicket& ticket, const GuardedJob& job, const Signals& signals, Runner& runner)
        : ticket_(ticket), job_(job), signals_(signals), runner_(runner) {}

    // From start to end of the job; the desk is given back before it returns.
    int run() {
        const int not_started = start();
        if (not_started == 0)
            while (!status_) turn();
        end_children(leader_, status_);
        ticket_.give_back();
        if (not_started != 0) return not_started;
        return hit_deadline_ ? kExitDeadline : exit_code_of(*status_);
    }

  private:
    // 0 once the job runs, else an exit code. The ticket names the session only when the job has
    // begun; until then it is known by its marker.
    int start() {
        set_deadline();
        const Started started = start_job(job_, ticket_.marker(), signals_.mask_before());
        if (started.error != 0) {
            say(fmt::format("cannot run {}: {}", job_.command[0], std::strerror(started.error)));
            if (started.pid < 0) return kExitNotStarted;
            return started.error == ENOENT ? kExitNotFound : kExitNotExecutable;
        }
        leader_ = started.pid;
        const auto process = process_stat(leader_);
        const auto told = ticket_.set_session({leader_, process ? process->start_ticks : 0});
        if (told) return 0;
        say(told.error().message);
        return told.error().code == Code::kNoSpace ? kExitCannotWrite : kExitNotStarted;
    }

    void set_deadline() {
        const auto& deadline = ticket_.ticket().tenure->deadline;
        if (!deadline) return;
        runner_.set_deadline(*deadline);
        next_step_ = Clock::time_point(std::chrono::milliseconds(deadline->ms));
    }

    int timeout_ms() const {
        if (!next_step_) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next_step_ - Clock::now());
        return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
    }

    // Waits for one thing to happen and does what it asks for.
    void turn() {
        pollfd watched[2] = {{signals_.fd(), POLLIN, 0}, {runner_.pidfd().get(), POLLIN, 0}};
        poll(watched, 2, timeout_ms());
        while (const int signal = signals_.next())
            if (signal != SIGCHLD) kill(-leader_, signal);
        reap();
        if (!status_ && watched[1].revents != 0) end_children(leader_, status_);  // killed
        if (!status_ && next_step_ && Clock::now() >= *next_step_) pass_deadline();
    }

    void reap() {
        int status = 0;
        for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG | __WALL)) > 0;)
            if (ended == leader_) status_ = status;
    }

    // First it is asked, and continued in case it was stopped; then it is killed.
    void pass_deadline() {
        if (hit_deadline_) return end_children(leader_, status_);
        hit_deadline_ = true;
        next_step_ = Clock::now() + std::chrono::milliseconds(ticket_.ticket().tenure->grace.value);
        kill(-leader_, SIGTERM);
        kill(-leader_, SIGCONT);
    }

    DeskTicket& ticket_;
    const GuardedJob& job_;
    const Signals& signals_;
    Runner& runner_;
    pid_t leader_ = 0;
    std::optional<int> status_;  // of the leader, once it has ended
    std::optional<Clock::time_point> next_step_;
    bool hit_deadline_ = false;
};

[[noreturn]] void be_guard(const std::function<int(Runner&)>& work, Runner& runner) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // ends a wait for the desk
    prctl(PR_SET_NAME, "hotdesk-guard");
    if (getppid() != runner.pid()) _exit(kExitNotStarted);
    const int exit_code = work(runner);
    if (getppid() == runner.pid()) kill(runner.pid(), SIGCONT);  // it may have been stopped
    _exit(exit_code);
}

// ---- the runner -----------------------------------------------------------------------------

// Passes signals on until the guard has ended; its status.
int wait_for_guard(pid_t guard, const Signals& signals) {
    for (;;) {
        int status = 0;
        if (waitpid(guard, &status, WNOHANG) == guard) return status;
        pollfd watched{signals.fd(), POLLIN, 0};
        poll(&watched, 1, -1);
        while (const int signal = signals.next())
            if (signal != SIGCHLD) kill(guard, signal);
    }
}

// A guard is killed by the next in line when it is overdue, or by somebody who means it.
int code_of_guard(int status, Instant deadline) {
    const auto now = Clock::now().time_since_epoch();
    const Instant at{std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
    const bool was_overdue = deadline.ms != 0 && at >= deadline;
    return WIFSIGNALED(status) && was_overdue ? kExitDeadline : exit_code_of(status);
}

}  // namespace

Result<Signals> Signals::take() {
    sigset_t taken;
    sigset_t before;
    sigemptyset(&taken);
    for (const int signal : kPassedOn) sigaddset(&taken, signal);
    sigaddset(&taken, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, it would lose the exit codes
    sigprocmask(SIG_BLOCK, &taken, &before);
    Fd fd(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (fd) return Signals(std::move(fd), before);
    return fail(Code::kNoSpace, fmt::format("cannot take signals: {}", std::strerror(errno)));
}

int Signals::next() const {
    signalfd_siginfo info{};
    const ssize_t n = read(fd_.get(), &info, sizeof info);
    return n == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

Result<int> with_guard(const Signals& signals, const std::function<int(Runner&)>& work) {
    HD_TRY(Runner runner, Runner::make());
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t guard = fork();
    if (guard < 0)
        return fail(Code::kInternal,
                    fmt::format("cannot make a process: {}", std::strerror(errno)));
    if (guard == 0) be_guard(work, runner);
    const int status = wait_for_guard(guard, signals);
    std::optional<int> none;
    end_children(0, none);  // what the guard left, if it was killed
    return code_of_guard(status, runner.deadline());
}

int run_job(DeskTicket& ticket, const GuardedJob& job, const Signals& signals, Runner& runner) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return Guard(ticket, job, signals, runner).run();
}

}  // namespace hotdesk
