// SPDX-License-Identifier: MIT
#pragma once
// The two ways to run a worker: for a daemon over a socket, or once for a person or a script.
// Both return the exit code of the process.

#include "worker/options.h"

namespace hotdesk::worker {

// Loads the model, reporting progress, and serves until the socket closes or Quit comes. Reads
// between steps; while nothing is to do it sleeps in poll(). When the other side does not
// read, it stops computing until it does.
int serve(const WorkerOptions& options);

// One request from stdin: a body with "messages", "prompt" or "input". Prints the answer object,
// or {"error": {...}} with the exit code of its kind.
int answer_once(const WorkerOptions& options);

}  // namespace hotdesk::worker
