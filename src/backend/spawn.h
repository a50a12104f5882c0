// SPDX-License-Identifier: MIT
#pragma once
// Starts a worker process with one socket to it. The child gets that socket as descriptor 3, its
// standard error in a pipe, and nothing else of ours.

#include <sys/types.h>

#include "backend/worker_client.h"
#include "os/fd.h"

namespace hotdesk {

// Owns: the descriptors. The pidfd becomes readable when the process ends; whoever holds this
// reaps it.
struct Spawned {
    pid_t pid = 0;
    Fd pidfd;
    Fd socket;  // both ends non-blocking
    Fd stderr_pipe;
};

// Thread: any; the child dies with the thread only where it asks for that itself.
Result<Spawned> spawn_worker(const WorkerCommand& command);

// "exit code 3", "signal 9 (Killed)" of a waitpid status.
std::string describe_wait_status(int status);

}  // namespace hotdesk
