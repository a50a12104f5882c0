// SPDX-License-Identifier: MIT
#pragma once
// Runs one command under a lease, so that whatever happens to whom, the desk is given back only
// when the last process of the job is gone. Three processes share the work:
//
//   runner   `hotdesk lease run`, seen by the user: passes signals on, returns the exit code
//   guard    its child, in a session of its own: waits in line, holds the desk while the job runs,
//   ends
//            the job at its deadline or when the runner is killed, ends what the job leaves behind
//   job      the guard's child, in a session of its own: the command
//
// The guard is forked before the wait and not after it, so that a hand-over costs no more than
// starting the command. A waiter takes 0.25 MB more for that.
//
// Runner and guard are subreapers: an orphan of the job, even one that called setsid() and emptied
// its environment, becomes the guard's child, and after the guard's death the runner's. "Nothing is
// left" is therefore exact: no children. If both are killed at once, the next in line finds what
// is left by its session and by HOTDESK_LEASE (os/job_session.h).

#include <signal.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/desk_ticket.h"

namespace hotdesk {

// What a job returns when it could not run or was ended; else its own code, or 128 + n after
// signal n, as a shell has it.
inline constexpr int kExitDeadline = 124;
inline constexpr int kExitNotStarted = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// The signals that end or nudge a job; runner and guard pass them on to it.
inline constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// Takes kPassedOn and SIGCHLD over from their handlers, to be read from a descriptor.
// Owns: the descriptor. The mask from before is what a job starts with.
class Signals {
  public:
    static Result<Signals> take();

    int fd() const { return fd_.get(); }
    int next() const;  // 0 when none is pending
    const sigset_t& mask_before() const { return before_; }

  private:
    Signals(Fd fd, const sigset_t& before) : fd_(std::move(fd)), before_(before) {}

    Fd fd_;
    sigset_t before_{};
};

// What the guard needs to know of its runner.
class Runner;

// Forks a guard that does `work` and returns what it returned, as seen by the runner: the exit
// code. Requires: no other thread runs. Errors: kInternal when no process could be made.
Result<int> with_guard(const Signals& signals, const std::function<int(Runner& runner)>& work);

struct GuardedJob {
    std::string program;               // path of the executable
    std::vector<std::string> command;  // its words, not empty
};

// In the guard: runs the job under `ticket`, gives the desk back and returns the exit code. Prints
// to stderr why a job could not start. Requires: ticket.is_held().
int run_job(DeskTicket& ticket, const GuardedJob& job, const Signals& signals, Runner& runner);

}  // namespace hotdesk
