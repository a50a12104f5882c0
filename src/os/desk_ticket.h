// SPDX-License-Identifier: MIT
#pragma once
// DeskTicket is a turn at the desk, from standing in line to giving it back. It never blocks: it
// has a descriptor to wait on, for the daemon's loop as for the poll() of `hotdesk lease run`.
//
// The head of the line is the lowest ticket whose process lives. Each waiter watches the one before
// it and nobody else, so a hand-over wakes one process and not a thousand:
//
//   - a pidfd on that process: readable when it ends, in whatever way
//   - its bell: rung when it gives the ticket back and lives on
//   - a timer: for an owner that outstays its deadline, and for one before us that was stopped
//
// When the one before us is gone we look again, from our number downwards: a dead ticket is
// removed (once what its owner left running is gone), a live one is watched in its place, and if
// there is none the desk is ours. The watch is set first and the ticket checked afterwards, so that
// no wake-up is lost. A waiter that is stopped (SIGSTOP) when its turn comes is passed over, and
// stands in line again, at the end, when it is continued.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "os/desk_line.h"
#include "os/fd.h"

namespace hotdesk {

// The owner ends its own job at deadline + grace. One that has not done so this much later is
// itself stopped or stuck, and the next in line ends it.
inline constexpr Millis kOverdueAfter = seconds(1);

// How often a waiter looks whether the one before it has been stopped, for which there is no
// event. It reads two small files (40 us): 1,000 waiters take 0.4 % of a core with it.
inline constexpr Millis kStoppedLook = seconds(10);

// How often the lock of a ticket is tried whose process cannot be watched from here.
inline constexpr Millis kLockLook = seconds(1);

struct DeskRequest {
    DeskPlace place;
    std::string what;
    std::optional<Millis> wait_max;  // told to others; the caller keeps it
    std::optional<Millis> hold_max;  // nothing: for ever
    Millis hold_grace = kHoldGrace;  // after hold_max, from SIGTERM to SIGKILL
};

// For whom we wait.
struct WaitingFor {
    int place = 0;  // in the line, the holder is 1
    TicketNumber number;
    Ticket ticket;  // of the head of the line
};

// Whether this process is part of a job that holds that desk, by HOTDESK_LEASE. It must then not
// stand in line for it: it would wait for itself.
bool is_under_lease(const DeskPlace& place);

// Owns: the place in line. Move-only; destroying it gives the desk back, in the process that made
// it only (a forked child gives nothing back). Thread: one at a time.
class DeskTicket {
  public:
    // Errors: kDenied, kNoSpace, kInvalid (no such name).
    static Result<DeskTicket> enqueue(DeskRequest request);

    DeskTicket(DeskTicket&&) noexcept;
    DeskTicket& operator=(DeskTicket&&) noexcept;
    ~DeskTicket() { give_back(); }

    // Readable when poll_granted() has something to do. Stays the same for the ticket's life.
    int watch_fd() const { return events_.get(); }

    // Moves on as far as possible without waiting. True: the desk is ours, from now on.
    // Errors: kNoSpace, kDenied: the ticket cannot be kept; give up.
    Result<bool> poll_granted();

    bool is_held() const { return ticket_.tenure.has_value(); }
    TicketNumber number() const { return drawn_.number; }
    const Ticket& ticket() const { return ticket_; }

    // What HOTDESK_LEASE says in every process of the job, so that it can be found and ended.
    std::string marker() const;

    // Nothing when nobody is before us.
    Result<std::optional<WaitingFor>> waiting_for() const;

    // How many live tickets stand behind ours.
    Result<int> waiters_behind() const;

    // Readable when the line has changed; read it empty, then ask waiters_behind().
    // Errors: kNoSpace when the user has no inotify instance left.
    Result<Fd> watch_line() const;

    // Says in the ticket which session the job has. Requires: is_held().
    // Errors: kBusy when the desk was taken from us meanwhile.
    Status set_session(const JobSession& session);

    void give_back();

  private:
    enum class Look {
        kFree,
        kWait,
        kAgain
    };  // of a ticket before ours: no obstacle, watched, changed

    // Whom we watch: the process that the ticket named when we looked.
    struct Watched {
        TicketNumber number;
        ProcessIdentity holder;
    };

    DeskTicket(DeskRequest request, DeskLine line)
        : request_(std::move(request)), line_(std::move(line)) {}

    Status draw();
    Status prepare_events();
    Result<Look> look();
    Result<Look> look_at(TicketNumber number, std::vector<TicketNumber>& passed_over);
    Look clear_dead(TicketNumber number, const Ticket& ticket);
    Look watch(TicketNumber number, const Ticket& ticket, Fd pidfd);
    Look watch_by_lock(TicketNumber number);
    bool is_as_watched(Millis& again) const;
    Result<bool> claim(const std::vector<TicketNumber>& passed_over);
    void add_event(Fd fd, uint32_t events);
    void forget_watches();
    void set_timer(Millis in);

    DeskRequest request_;
    DeskLine line_;
    DrawnTicket drawn_;
    Ticket ticket_;
    pid_t drawn_by_ = 0;  // 0: nothing to give back
    Fd events_;           // epoll on the timer and the watches
    Fd timer_;
    std::vector<Fd> watches_;  // a pidfd and a bell, or pidfds of what is left of a job
    std::optional<Watched> watched_;
    TicketNumber seen_alive_;  // the last ticket whose holder we watched
};

}  // namespace hotdesk
