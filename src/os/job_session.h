// SPDX-License-Identifier: MIT
#pragma once
// What is left of a job whose owner has died. The next in line ends it before it takes the desk,
// so that two programs never use the device at once. The usual end of a job is os/job_guard.h;
// this is for an owner that was killed and could not clean up.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "os/fd.h"
#include "os/ticket.h"

namespace hotdesk {

// The variable that marks the processes of a job: the markers of all desks it holds, with spaces.
inline constexpr const char* kLeaseVariable = "HOTDESK_LEASE";

// How a dead owner's processes are known again.
struct JobTrace {
    std::string marker;  // stands in their environment: job_marker()
    std::optional<JobSession> session;
    uint64_t started_after = 0;  // start_ticks of the owner: its job did not start before it
    uid_t owner = 0;             // whose processes may be ended; 0: anybody's
    // We saw the owner alive until just now, so its session's number cannot have been reused. An
    // owner found dead may have died last week: then a session counts only with its marker, or
    // with its first process alive.
    bool is_fresh = false;
};

JobTrace trace_of(const Ticket& ticket, std::string marker, bool is_fresh);

// Sends SIGKILL to what is left and gives a pidfd for each process that has not ended yet; none:
// the job is gone. Call again when they have ended: one may have forked meanwhile. Processes that
// we may not end are in the list too: the desk is not free while they run. Never ourselves.
std::vector<Fd> kill_leftovers(const JobTrace& trace);

// The same, and waits until they are gone. Errors: kTimeout says how many are left.
Status end_leftovers(const JobTrace& trace, Millis limit);

}  // namespace hotdesk
