// SPDX-License-Identifier: MIT
#pragma once
// When the notes of the history are written: a second after the first of them, and again a second
// after a try that failed. With no notes there is nothing to wake up for.

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace hotdesk {

// Notes reach the history this soon.
inline constexpr Millis kFlushAfter = seconds(1);

class FlushTimer {
  public:
    // Asked between two cycles. Returns: whether to flush now.
    bool is_due(Instant now, bool has_notes) {
        if (!has_notes) since_.reset();
        if (has_notes && !since_) since_ = now;
        if (now < next()) return false;
        since_ = now;
        return true;
    }

    // When it will be due; never while there are no notes.
    Instant next() const { return since_ ? *since_ + kFlushAfter : Instant{INT64_MAX}; }

  private:
    std::optional<Instant> since_;  // the first note, or the last try
};

}  // namespace hotdesk
