// SPDX-License-Identifier: MIT
#pragma once
// Ticket is one place in the line for a desk, as its file says it. The format is shared with
// clients/python/hotdesk.py and documented in doc/lease.md; a change there is a change in three
// places.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "os/process_identity.h"

namespace hotdesk {

// The place in the line. Drawn under a lock and only growing, so the lowest came first.
struct TicketNumber {
    uint64_t value = 0;
    friend auto operator<=>(const TicketNumber&, const TicketNumber&) = default;
};

// What the holder of the desk runs: a session of its own, named by its first process.
struct JobSession {
    pid_t leader = 0;          // its pid is the session's number
    uint64_t start_ticks = 0;  // of the leader
    friend bool operator==(const JobSession&, const JobSession&) = default;
};

// After its deadline a job has this long to end by itself before it is killed, unless its ticket
// says otherwise.
inline constexpr Millis kHoldGrace = seconds(5);

// Since when a ticket holds the desk, and until when.
struct Tenure {
    Wall since;
    std::optional<Millis> hold_max;   // as asked for
    std::optional<Instant> deadline;  // on CLOCK_MONOTONIC, which setting the clock does not move
    Millis grace = kHoldGrace;        // after the deadline
    friend bool operator==(const Tenure&, const Tenure&) = default;
};

struct Ticket {
    ProcessIdentity holder;  // alive as long as this process is
    std::string nonce;       // random; marks the processes of the job (HOTDESK_LEASE)
    std::string what;        // what for, in the holder's words
    Wall queued_at;
    std::optional<Millis> wait_max;     // longest wait; nothing: for ever
    std::optional<Tenure> tenure;       // set once it holds the desk
    std::optional<JobSession> session;  // set by `hotdesk lease run`
    uid_t owner = 0;  // of the file, not of its text: whose processes it may speak for

    friend bool operator==(const Ticket&, const Ticket&) = default;
};

// "000000000042": twelve digits sort as text and last for a million tickets a day for 2,700 years.
std::string file_name(TicketNumber number);

// Errors: kInvalid when it is not the name of a ticket.
Result<TicketNumber> parse_file_name(std::string_view name);

// One line of JSON. `owner` is not written.
std::string encode(const Ticket& ticket);

// Errors: kInvalid says what is missing or wrong.
Result<Ticket> decode_ticket(std::string_view text);

// The word that marks every process of a job in its environment: "gpu0:42:9f3c...".
std::string job_marker(std::string_view desk, TicketNumber number, std::string_view nonce);

// 64 random bits in hexadecimal.
std::string random_nonce();

}  // namespace hotdesk
