// SPDX-License-Identifier: MIT
#include "os/job_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "os/job_session.h"

namespace hotdesk {
namespace {

using Clock = std::chrono::steady_clock;

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

struct Pipe {
    Fd read_end;
    Fd write_end;
};

std::optional<Pipe> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// The markers of all desks that this job holds: it may run under several leases.
void mark_environment(const std::string& marker) {
    const char* const outer = std::getenv(kLeaseVariable);
    const std::string all = outer != nullptr ? std::string(outer) + " " + marker : marker;
    setenv(kLeaseVariable, all.c_str(), 1);
}

// ---- the job --------------------------------------------------------------------------------

// The command, from fork to exec. It waits at the gate until its ticket names it.
class Starter {
  public:
    static std::optional<Starter> make() {
        auto gate = make_pipe();
        auto failure = make_pipe();
        if (!gate || !failure) return std::nullopt;
        return Starter{std::move(*gate), std::move(*failure)};
    }

    pid_t fork_job(const GuardedJob& job, const std::string& marker) {
        const pid_t guard = getpid();
        const pid_t pid = fork();
        if (pid == 0) become(job, marker, guard);
        gate_.read_end.reset();
        failure_.write_end.reset();
        return pid;
    }

    // Lets it go. 0, or the errno of exec.
    int open_gate() {
        if (write(gate_.write_end.get(), "!", 1) != 1) return errno;
        int error = 0;
        const ssize_t n = read(failure_.read_end.get(), &error, sizeof error);
        return n == sizeof error ? error : 0;
    }

  private:
    Starter(Pipe gate, Pipe failure) : gate_(std::move(gate)), failure_(std::move(failure)) {}

    [[noreturn]] void become(const GuardedJob& job, const std::string& marker, pid_t guard) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != guard) _exit(kExitNotStarted);
        gate_.write_end.reset();
        mark_environment(marker);
        signal(SIGXFSZ, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &job.signals_before, nullptr);
        std::vector<char*> words;
        for (const std::string& word : job.command)
            words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        char go = 0;
        if (read(gate_.read_end.get(), &go, 1) != 1) _exit(kExitNotStarted);
        execvp(words[0], words.data());
        const int error = errno;
        [[maybe_unused]] const ssize_t told = write(failure_.write_end.get(), &error, sizeof error);
        _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
    }

    Pipe gate_;
    Pipe failure_;
};

// ---- the guard ------------------------------------------------------------------------------

class Guard {
  public:
    Guard(DeskTicket& ticket, const GuardedJob& job, Fd runner, Fd signals)
        : ticket_(ticket), job_(job), runner_(std::move(runner)), signals_(std::move(signals)) {}

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
    int start() {
        auto starter = Starter::make();
        leader_ = starter ? starter->fork_job(job_, ticket_.marker()) : -1;
        if (leader_ < 0) {
            say(fmt::format("cannot start the job: {}", std::strerror(errno)));
            return kExitNotStarted;
        }
        const auto process = process_stat(leader_);
        if (auto kept = ticket_.take_over({leader_, process ? process->start_ticks : 0}); !kept) {
            say(kept.error().message);
            return kept.error().code == Code::kNoSpace ? 73 : kExitNotStarted;
        }
        set_deadline();
        const int error = starter->open_gate();
        if (error == 0) return 0;
        say(fmt::format("cannot run {}: {}", job_.command[0], std::strerror(error)));
        return error == ENOENT ? kExitNotFound : kExitNotExecutable;
    }

    void set_deadline() {
        const auto& deadline = ticket_.ticket().tenure->deadline;
        if (deadline) next_step_ = Clock::time_point(std::chrono::milliseconds(deadline->ms));
    }

    int timeout_ms() const {
        if (!next_step_) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next_step_ - Clock::now());
        return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
    }

    // Waits for one thing to happen and does what it asks for.
    void turn() {
        pollfd watched[2] = {{signals_.get(), POLLIN, 0}, {runner_.get(), POLLIN, 0}};
        poll(watched, 2, timeout_ms());
        while (const int signal = next_signal(signals_)) {
            if (signal != SIGCHLD) kill(-leader_, signal);
        }
        reap();
        if (status_) return;
        if (watched[1].revents != 0) end_children(leader_, status_);  // the runner was killed
        if (!status_ && next_step_ && Clock::now() >= *next_step_) pass_deadline();
    }

    void reap() {
        int status = 0;
        while (const pid_t ended = waitpid(-1, &status, WNOHANG | __WALL)) {
            if (ended < 0) return;
            if (ended == leader_) status_ = status;
        }
    }

    // First it is asked, and continued in case it was stopped; then it is killed.
    void pass_deadline() {
        if (hit_deadline_) return end_children(leader_, status_);
        hit_deadline_ = true;
        next_step_ = Clock::now() + std::chrono::milliseconds(kHoldGrace.value);
        kill(-leader_, SIGTERM);
        kill(-leader_, SIGCONT);
    }

    DeskTicket& ticket_;
    const GuardedJob& job_;
    Fd runner_;
    Fd signals_;
    pid_t leader_ = 0;
    std::optional<int> status_;  // of the leader, once it has ended
    std::optional<Clock::time_point> next_step_;
    bool hit_deadline_ = false;
};

[[noreturn]] void be_guard(DeskTicket& ticket, const GuardedJob& job, Fd runner) {
    const pid_t runner_pid = getppid();
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "hotdesk-guard");
    sigset_t ignored;
    auto signals = take_signals(ignored);
    if (!signals) _exit(kExitNotStarted);
    const int exit_code = Guard(ticket, job, std::move(runner), std::move(*signals)).run();
    if (getppid() == runner_pid) kill(runner_pid, SIGCONT);  // it may have been stopped meanwhile
    _exit(exit_code);
}

// ---- the runner -----------------------------------------------------------------------------

// Passes signals on until the guard has ended; its status.
int wait_for_guard(pid_t guard, const Fd& signals) {
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(guard, &status, WNOHANG);
        if (ended == guard) return status;
        pollfd watched{signals.get(), POLLIN, 0};
        poll(&watched, 1, -1);
        while (const int signal = next_signal(signals))
            if (signal != SIGCHLD) kill(guard, signal);
    }
}

bool is_past(const std::optional<Tenure>& tenure) {
    if (!tenure || !tenure->deadline) return false;
    const auto now = Clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() >=
           tenure->deadline->ms;
}

}  // namespace

Result<Fd> take_signals(sigset_t& before) {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int signal : kPassedOn) sigaddset(&taken, signal);
    sigaddset(&taken, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);  // ignored, as some parents leave it, it would lose the exit codes
    sigprocmask(SIG_BLOCK, &taken, &before);
    Fd signals(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals) return signals;
    return fail(Code::kNoSpace, fmt::format("cannot take signals: {}", std::strerror(errno)));
}

int next_signal(const Fd& signals) {
    signalfd_siginfo info{};
    const ssize_t n = read(signals.get(), &info, sizeof info);
    return n == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

Result<int> run_guarded(DeskTicket ticket, const GuardedJob& job, const Fd& signals) {
    auto runner = watch_process(ticket.ticket().holder);
    if (!runner) return tl::unexpected(runner.error());
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t guard = fork();
    if (guard < 0)
        return fail(Code::kInternal,
                    fmt::format("cannot make a process: {}", std::strerror(errno)));
    if (guard == 0) be_guard(ticket, job, std::move(*runner));
    const auto tenure = ticket.ticket().tenure;
    ticket.abandon();
    const int status = wait_for_guard(guard, signals);
    std::optional<int> none;
    end_children(0, none);  // what the guard left, if it was killed
    if (WIFSIGNALED(status) && is_past(tenure)) return kExitDeadline;
    return exit_code_of(status);
}

}  // namespace hotdesk
