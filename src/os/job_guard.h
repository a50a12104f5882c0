// SPDX-License-Identifier: MIT
#pragma once
// Runs one command under a lease, so that whatever happens to whom, the desk is given back only
// when the last process of the job is gone. Three processes share the work:
//
//   runner   `hotdesk lease run`, seen by the user: passes signals on, returns the exit code
//   guard    its child, in a session of its own: holds the ticket while the job runs, ends the job
//            at its deadline or when the runner is killed, and ends what the job leaves behind
//   job      the guard's child, in a session of its own: the command
//
// Runner and guard are subreapers: an orphan of the job, even one that called setsid() and emptied
// its environment, becomes the guard's child, and after the guard's death the runner's. "Nothing is
// left" is therefore exact: no children. If both are killed at once, the next in line finds what
// is left by its session and by HOTDESK_LEASE (os/job_session.h).

#include <signal.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/desk_ticket.h"

namespace hotdesk {

// The signals that end or nudge a job; runner and guard pass them on to it.
inline constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// Blocks kPassedOn and SIGCHLD and gives a descriptor to read them from. `before` gets the mask
// that the job is to start with.
Result<Fd> take_signals(sigset_t& before);

// The next signal of a descriptor from take_signals(), 0 when none is pending.
int next_signal(const Fd& signals);

struct GuardedJob {
    std::vector<std::string> command;  // not empty; command[0] is looked up in PATH
    sigset_t signals_before{};         // from take_signals()
};

// What a job returns when it could not run or was ended; else its own code, or 128 + n after
// signal n, as a shell has it.
inline constexpr int kExitDeadline = 124;
inline constexpr int kExitNotStarted = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// Runs the job, gives the desk back and returns the exit code. Requires: `ticket` is held, signals are taken, and no
// other thread runs. Prints to stderr why a job could not start.
// Errors: kNoSpace, kInternal when no guard could be made; the desk is then given back.
Result<int> run_guarded(DeskTicket ticket, const GuardedJob& job, const Fd& signals);

}  // namespace hotdesk
