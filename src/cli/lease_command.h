// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk lease run|show|break`: the lock for programs that know nothing of Hotdesk. Works on
// the files of the line alone, with or without a daemon.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "os/desk_line.h"
#include "os/ticket.h"

namespace hotdesk {

// What was typed after `hotdesk lease`.
struct LeaseOptions {
    DeskOptions desk;
    std::optional<Millis> wait_max;  // nothing: for ever
    std::optional<Millis> hold_max;  // nothing: for ever
    Millis hold_grace = kHoldGrace;  // after hold_max, from SIGTERM to SIGKILL
    std::string what;
    std::vector<std::string> command;  // after --
    bool is_json = false;
    bool is_forced = false;
};

// `args` is what follows "lease". Returns the exit code (cli/exit_code.h, doc/lease.md).
// Thread: forks; call it while no other thread runs.
int lease_command(std::span<const std::string> args);

int lease_run(const LeaseOptions& options);
int lease_show(const LeaseOptions& options);
int lease_break(const LeaseOptions& options);

}  // namespace hotdesk
