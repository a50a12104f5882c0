// SPDX-License-Identifier: MIT
#pragma once
// Starts and ends the command of a run: a process in a session of its own, its output on a pipe,
// a marker in its environment by which everything it started can be found again. No thread and no
// loop: the caller watches `pidfd` and `output`, with poll or with asio.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/job_session.h"
#include "os/process_identity.h"

namespace hotdesk {

// The variable that holds a run's marker.
inline constexpr const char* kRunVariable = "HOTDESK_RUN";

struct ChildSpec {
    std::vector<std::string> command;        // argv; a command[0] without '/' is looked up in PATH
    std::string directory;                   // "" = ours
    std::map<std::string, std::string> env;  // on top of our environment
    std::string marker;  // "r-12:9f3c...": unique, at least 64 random bits of it
};

// A started command. Move-only. It is not ended when this goes away; it dies with the thread that
// started it (PR_SET_PDEATHSIG), and what it started itself is end_leftovers' business.
struct Child {
    ProcessIdentity who;
    Fd pidfd;   // readable when the command has ended; what it started may live on
    Fd output;  // stdout and stderr, in the order written; does not block; end of file when all
                // have closed it
};

// Requires: the calling thread lives as long as the daemon. stdin is /dev/null.
// Errors: kNotFound (no such command or directory), kDenied (not executable, no permission),
// kInvalid (an empty command), kNoSpace (no memory or processes left). Each names the command.
Result<Child> start_child(const ChildSpec& spec);

// The exit code, 128 + n after signal n; nothing while it runs. Gives the pid back to the system,
// so it answers once. Errors: kInternal when the child was already reaped.
Result<std::optional<int>> reap(const Child& child);

// SIGTERM to the command's process group: a request. What ignores it, or left the group, is ended
// by end_leftovers. Requires: not reaped yet, or the number may belong to somebody else.
Status ask_to_end(const Child& child);

// How everything that a run started is found: kill_leftovers and end_leftovers of os/job_session.h
// take it. Fresh: we have watched the run until now.
JobTrace trace_of_run(const ProcessIdentity& who, const std::string& marker, bool is_fresh);

}  // namespace hotdesk
