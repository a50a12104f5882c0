// SPDX-License-Identifier: MIT
#pragma once
// llama.cpp tells why it failed only in its log; its functions return NULL. This keeps the last
// lines and finds the one that decided.

#include <string>

namespace hotdesk::worker {

// From now on the engine's log is kept (and its errors also go to stderr). Process-wide.
void capture_engine_log();

struct EngineComplaint {
    bool is_out_of_memory = false;
    std::string line;  // "" if it did not complain
};

// The error line since the last call that says most: a failed allocation, else the last one.
EngineComplaint take_engine_complaint();

}  // namespace hotdesk::worker
