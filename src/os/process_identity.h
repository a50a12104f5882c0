// SPDX-License-Identifier: MIT
#pragma once
// Who a process is, beyond its number. A pid is reused, within a day on a busy machine and at
// once after a reboot; (boot id, pid, start time) is not. The lease and the fleet write this
// triple down and later ask whether that very process still lives.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace hotdesk {

// One process, for good. Equal identities are the same process.
struct ProcessIdentity {
    std::string boot_id;  // /proc/sys/kernel/random/boot_id
    pid_t pid = 0;
    uint64_t start_ticks = 0;    // field 22 of /proc/PID/stat: clock ticks from boot to its start
    uint64_t pid_namespace = 0;  // inode of /proc/PID/ns/pid: a pid means nothing in another one

    friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// What /proc/PID/stat says of a process, as far as we need it.
struct ProcessStat {
    pid_t pid = 0;
    char state = '?';  // R, S, D, T (stopped), t (traced), Z (ended, not yet reaped), ...
    pid_t parent = 0;
    pid_t session = 0;
    uint64_t start_ticks = 0;
    uid_t uid = 0;

    bool is_stopped() const { return state == 'T' || state == 't'; }
    bool has_ended() const { return state == 'Z' || state == 'X'; }
};

// Whether the process of an identity lives. Unknown: its pid cannot be looked up from here
// (another pid namespace, or a /proc that hides it), so ask another witness.
enum class Life { kAlive, kStopped, kDead, kUnknown };

// The id of this boot of the machine; "" when /proc is not mounted.
const std::string& boot_id();

// The running process. Errors: kInternal when /proc is not mounted.
Result<ProcessIdentity> own_identity();

// Nothing when there is no such process, or /proc hides it.
std::optional<ProcessStat> process_stat(pid_t pid);

// Every process that /proc shows, in no particular order.
std::vector<ProcessStat> all_processes();

// A pidfd on exactly that process, readable when it ends. Opened first and checked afterwards,
// so that a pid reused in between is noticed.
// Errors: kNotFound when it is dead, kUnavailable when that cannot be known from here.
Result<Fd> watch_process(const ProcessIdentity& who);

Life life_of(const ProcessIdentity& who);

// Sends a signal through a pidfd: never to a stranger that got the same number.
// Errors: kDenied when it belongs to somebody else. A process already gone is a success.
Status signal_process(const Fd& pidfd, int signal);

// Whether `pidfd`'s process has ended.
bool has_ended(const Fd& pidfd);

}  // namespace hotdesk
