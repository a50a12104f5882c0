// SPDX-License-Identifier: MIT
#pragma once
// What State says to those who wait: a call's place in the line and what it waits for, whether the
// oldest waiter has waited too long, and the names that a client may ask for. Pure.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/world.h"

namespace hotdesk {

struct Place {
    int position = 0;              // 1 = next; 0 = not in a line
    int of = 0;                    // calls in that line
    ModelName model;               // whose line; empty while the call is not routed
    ModelName behind;              // another model that has the desk, or empty
    int loading_percent = -1;      // of its own model; -1 = not loading
    std::optional<Millis> about;   // until it is served, from what earlier calls took
    std::optional<Millis> latest;  // until it is served or refused, at most; see core/wait.h

    friend bool operator==(const Place&, const Place&) = default;
};

// The place of each call that waits. One pass, whatever the number of calls.
std::map<CallId, Place> places(const State& state, Instant now);

// ": hotdesk waiting position=3 of=7 model=qwen behind=gemma about=40s latest=480s\n\n", an SSE
// comment.
std::string waiting_comment(const Place& place);

struct Readiness {
    bool is_ready = true;
    std::string reason;  // for people, when not ready
    friend bool operator==(const Readiness&, const Readiness&) = default;
};

// Not ready while draining, or when a call has waited longer than the longer of its own wait and
// kOldestWaitMax: then the loop has failed to refuse it.
inline constexpr Millis kOldestWaitMax = minutes(10);
Readiness readiness(const State& state, Instant now);

// What a client may write as `model`: usable models, their aliases, and task:NAME. Sorted.
std::vector<std::string> known_names(const Fleet& fleet);

}  // namespace hotdesk
