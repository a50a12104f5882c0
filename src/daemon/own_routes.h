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

namespace boost::asio {
class io_context;
}

namespace hotdesk {

// Requires: all of them outlive the io thread's last turn; the history is the io thread's own.
struct OwnRoutes {
    boost::asio::io_context& io;
    Gateway& gateway;
    LoopPort& loop;
    History& history;
    // Reads the fleet file again; errors go to the caller. Thread: io.
    std::function<Status()> reload;
    // Writes what the history still holds in memory. Thread: the loop's.
    std::function<void()> flush_notes;
};

// GET  status ps agents runs runs/ID queue desks models why/ID logs/ID
// POST agents/NAME/run|pause|resume, pause, resume, drain, reload, models/NAME/evict, runs/ID/stop
// Thread: before the io thread runs.
void add_own_routes(const OwnRoutes& own);

}  // namespace hotdesk
