// SPDX-License-Identifier: MIT
#pragma once
// Hotdesk's own API under /hotdesk/v1: what the CLI and the dashboard ask and command. Answers come
// from State (daemon/views.h) on the loop's thread and from the history on the io thread;
// commands become events. Errors have OpenAI's shape, like the gateway's. doc/http-api.md lists it.

#include <functional>

#include "base/result.h"
#include "daemon/gateway.h"
#include "daemon/loop_port.h"
#include "store/history.h"

namespace hotdesk {

// Requires: all of them outlive the io thread's last turn; the history is the io thread's own.
struct OwnRoutes {
    Gateway& gateway;
    LoopPort& loop;
    History& history;
    std::function<Status()>
        reload;  // reads the fleet file again; errors go to the caller. Thread: io
};

// GET  status ps agents runs runs/ID queue desks models why/ID logs/ID
// POST agents/NAME/run|pause|resume, pause, resume, drain, reload, models/NAME/evict, runs/ID/stop
// Thread: before the io thread runs.
void add_own_routes(const OwnRoutes& own);

}  // namespace hotdesk
