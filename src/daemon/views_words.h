// SPDX-License-Identifier: MIT
#pragma once
// The words of the views for the enums of core/world.h. doc/glossary.md has what they mean.

#include <string_view>

#include "core/world.h"

namespace hotdesk::views {

constexpr std::string_view word(RunPhase phase) {
    switch (phase) {
        case RunPhase::kStarting: return "starting";
        case RunPhase::kRunning: return "running";
        case RunPhase::kTerminating: return "terminating";
        case RunPhase::kKilling: return "killing";
        case RunPhase::kEnded: return "ended";
    }
    return "ended";
}

constexpr std::string_view word(CallPhase phase) {
    switch (phase) {
        case CallPhase::kArrived: return "arrived";
        case CallPhase::kWaiting: return "waiting";
        case CallPhase::kRunning: return "running";
        case CallPhase::kLost: return "lost";
        case CallPhase::kEnded: return "ended";
    }
    return "ended";
}

constexpr std::string_view word(WorkerPhase phase) {
    switch (phase) {
        case WorkerPhase::kAbsent: return "absent";
        case WorkerPhase::kLoading: return "loading";
        case WorkerPhase::kReady: return "ready";
        case WorkerPhase::kUnloading: return "unloading";
    }
    return "absent";
}

constexpr std::string_view word(LeasePhase phase) {
    switch (phase) {
        case LeasePhase::kNone: return "none";
        case LeasePhase::kQueued: return "queued";
        case LeasePhase::kHeld: return "held";
    }
    return "none";
}

constexpr std::string_view word(Placement placement) {
    switch (placement) {
        case Placement::kDesk: return "desk";
        case Placement::kHost: return "host";
    }
    return "desk";
}

}  // namespace hotdesk::views
