// SPDX-License-Identifier: MIT
#pragma once
// The worker's command line. The daemon writes it; people meet it with --once and --help.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/engine.h"
#include "worker/session.h"

namespace hotdesk::worker {

struct WorkerOptions {
    EngineOptions engine;
    SessionOptions session;
    int fd = -1;           // the inherited socket
    int parent = 0;        // its pid: the worker ends when it does; 0 = not watched
    bool is_once = false;  // one request from stdin, the answer to stdout
    bool wants_help = false;
};

// Errors: kInvalid names the option and what it takes.
Result<WorkerOptions> parse_options(const std::vector<std::string>& arguments);

extern const std::string_view kUsage;

}  // namespace hotdesk::worker
