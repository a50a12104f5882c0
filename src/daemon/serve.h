// SPDX-License-Identifier: MIT
#pragma once
// The composition root: makes the parts, joins them, runs the loop until it is told to stop, and
// takes them apart in order. Two threads: the loop owns State; the io thread carries bytes.

#include <functional>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "core/spec.h"

namespace hotdesk {

struct ServeOptions {
    Config config;
    Fleet fleet;  // of that config; model files not looked at yet
    std::function<Result<LoadedFleet>()>
        read_again;           // for `hotdesk reload`; errors as parse_config
    std::string program_dir;  // where hotdesk and hotdesk-worker are
    int wall_rate = 1;        // a time-lapse: wall time runs this much faster
};

// Blocks until SIGINT, SIGTERM or a drain has ended the daemon; a second signal ends it at once.
// Errors: kBusy (another daemon uses this state directory), kDenied, kNoSpace, kInvalid: what, and
// what to do.
Status serve(ServeOptions options);

}  // namespace hotdesk
