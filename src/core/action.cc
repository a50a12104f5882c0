// SPDX-License-Identifier: MIT
#include "core/action.h"

namespace hotdesk {

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::kDone: return "done";
        case Outcome::kFailed: return "failed";
        case Outcome::kTimedOut: return "timed-out";
        case Outcome::kSkipped: return "skipped";
        case Outcome::kMissed: return "missed";
        case Outcome::kInterrupted: return "interrupted";
    }
    return "failed";
}

std::string_view to_string(CallOutcome outcome) {
    switch (outcome) {
        case CallOutcome::kDone: return "done";
        case CallOutcome::kFailed: return "failed";
        case CallOutcome::kRefused: return "refused";
        case CallOutcome::kCancelled: return "cancelled";
    }
    return "failed";
}

std::string_view to_string(Trigger trigger) {
    switch (trigger) {
        case Trigger::kSchedule: return "schedule";
        case Trigger::kCatchUp: return "catch-up";
        case Trigger::kManual: return "manual";
    }
    return "schedule";
}

}  // namespace hotdesk
