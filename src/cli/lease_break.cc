// SPDX-License-Identifier: MIT
// `hotdesk lease break`: ends who holds a desk, and its job, and hands over.

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <cstdio>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/lease_command.h"
#include "cli/lease_view.h"
#include "os/desk_ticket.h"
#include "os/job_session.h"

namespace hotdesk {
namespace {

int report(const Error& error) {
    fmt::print(stderr, "hotdesk: {}\n", error.message);
    return to_int(exit_code_for(error.code));
}

// The first that holds the desk and has not died.
const InLine* holder_of(const DeskView& seen) {
    for (const InLine& entry : seen.line)
        if (entry.ticket.tenure && entry.life != Life::kDead) return &entry;
    return nullptr;
}

bool ends_within(const Fd& pidfd, Millis limit) {
    pollfd watched{pidfd.get(), POLLIN, 0};
    return poll(&watched, 1, static_cast<int>(limit.value)) > 0;
}

// Asks first (the guard passes SIGTERM on to its job), then kills; and then what is left of the
// job.
Status end(const DeskPlace& place, const InLine& holder, bool at_once) {
    auto pidfd = watch_process(holder.ticket.holder);
    if (!pidfd && pidfd.error().code != Code::kNotFound) return tl::unexpected(pidfd.error());
    if (pidfd && !at_once) {
        HD_TRY_VOID(signal_process(*pidfd, SIGTERM));
        at_once = ends_within(*pidfd, kHoldGrace);
    }
    if (pidfd && !has_ended(*pidfd)) {
        HD_TRY_VOID(signal_process(*pidfd, SIGKILL));
        if (!ends_within(*pidfd, kHoldGrace))
            return fail(Code::kTimeout, fmt::format("pid {} does not die: it hangs in the kernel",
                                                    holder.ticket.holder.pid));
    }
    const auto marker = job_marker(place.desk, holder.number, holder.ticket.nonce);
    HD_TRY_VOID(end_leftovers(trace_of(holder.ticket, marker, true), kHoldGrace));
    HD_TRY(const DeskLine line, DeskLine::open(place));
    return line.remove(holder.number);
}

}  // namespace

int lease_break(const LeaseOptions& options) {
    const auto place = desk_place(options.desk);
    if (!place) return report(place.error());
    const auto seen = view_desk(*place);
    if (!seen) return report(seen.error());
    const InLine* const holder = holder_of(*seen);
    if (holder == nullptr) {
        fmt::print("{}\n", options.is_json
                               ? dumped({{"schema", 1}, {"desk", place->desk}, {"broke", nullptr}})
                               : fmt::format("nobody holds {}", place->desk));
        return to_int(ExitCode::kOk);
    }
    const Ticket& ticket = holder->ticket;
    if (!ticket.session && !options.is_forced)
        return report(
            {Code::kDenied, fmt::format("{} is held by pid {} ({}) itself, not by a job of "
                                        "`lease run`: --force kills that process",
                                        place->desk, ticket.holder.pid, ticket.what)});
    if (const auto ended = end(*place, *holder, options.is_forced); !ended)
        return report(ended.error());
    if (options.is_json)
        fmt::print("{}\n",
                   dumped({{"schema", 1}, {"desk", place->desk}, {"broke", to_json(*holder, 1)}}));
    else
        fmt::print("broke the lease of pid {} ({}) on {}, held for {}\n", ticket.holder.pid,
                   ticket.what, place->desk, format_duration(time_since(ticket.tenure->since)));
    return to_int(ExitCode::kOk);
}

}  // namespace hotdesk
