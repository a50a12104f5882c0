// SPDX-License-Identifier: MIT
#pragma once
// DeskLine is the directory of one desk: the files in which programs of any kind stand in line for
// it. It knows files and locks, not turns; whose turn it is decides os/desk_ticket.h.
//
//   sequence            the next number; its lock (flock) guards drawing, listing and claiming
//   000000000042        ticket 42: one line of JSON, locked by its holder as a second witness
//   000000000042.bell   a named pipe, written to when ticket 42 is given back
//   .new                a ticket being written, only while `sequence` is locked
//
// A bell does what inotify would do, but a user has 128 inotify instances on a stock kernel
// (fs.inotify.max_user_instances) and a line may have 1,000 waiters. It wakes just the next one.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/ticket.h"

namespace hotdesk {

// Where the line for one desk stands.
struct DeskPlace {
    std::string desk;        // "gpu0"
    std::string directory;   // that holds one directory for each desk
    bool is_shared = false;  // between users, by configuration: the files take its permissions
};

// A ticket that we have drawn. Owns: its lock and its bell; closing them gives nothing back.
struct DrawnTicket {
    TicketNumber number;
    Fd lock;
    Fd bell;
};

class DeskLine {
  public:
    // Makes the directory when it is missing.
    // Errors: kDenied (not ours, or no permission), kNoSpace, kInvalid (no name for a desk).
    static Result<DeskLine> open(const DeskPlace& place);

    const std::string& path() const { return path_; }

    // Puts `ticket` at the end of the line. Nothing is left behind on an error.
    // Errors: kDenied, kNoSpace. Blocks for as long as others draw (30 us each).
    Result<DrawnTicket> draw(const Ticket& ticket) const;

    // Writes `ticket` over the one we hold, provided that it still stands in line and that
    // `is_due` says yes while the line is locked. False when it does not.
    Result<bool> rewrite(DrawnTicket& mine, const Ticket& ticket,
                         const std::function<bool()>& is_due) const;

    // All numbers in line, lowest first, dead or alive. Never misses one that is being rewritten.
    Result<std::vector<TicketNumber>> numbers() const;

    // Nothing when it is gone. Errors: kInvalid (not a ticket), kDenied.
    Result<std::optional<Ticket>> read(TicketNumber number) const;

    bool contains(TicketNumber number) const;

    // The second witness: whether somebody holds the lock of that ticket.
    bool is_locked(TicketNumber number) const;

    // A descriptor that becomes readable when the ticket is given back.
    // Errors: kNotFound when it already is.
    Result<Fd> hear_bell(TicketNumber number) const;

    // Takes a ticket out of the line and rings its bell. One that is gone is a success.
    Status remove(TicketNumber number) const;

  private:
    DeskLine(std::string path, Fd directory, mode_t mode)
        : path_(std::move(path)), directory_(std::move(directory)), mode_(mode) {}

    Result<Fd> lock_sequence(int operation) const;
    Result<TicketNumber> next_number(const Fd& sequence) const;
    Result<std::vector<TicketNumber>> list() const;
    Result<Fd> write_new(const Ticket& ticket) const;
    Result<Fd> hang_bell(TicketNumber number) const;
    tl::unexpected<Error> failure(const char* what, const std::string& name) const;

    std::string path_;
    Fd directory_;
    mode_t mode_;  // of the files in it
};

// The directory of desks: `desks` when given, else $HOTDESK_DESK_DIR (both shared between users),
// else desks/ in the state directory: `state`, $HOTDESK_STATE_DIR, $XDG_STATE_HOME/hotdesk or
// ~/.local/state/hotdesk.
struct DeskOptions {
    std::string desk;
    std::string state_dir;
    std::string desk_dir;
};
// Errors: kInvalid when nothing of this is set.
Result<DeskPlace> desk_place(const DeskOptions& options);

}  // namespace hotdesk
