// SPDX-License-Identifier: MIT
#pragma once
// How the machine's RAM is doing, as its kernel sees it. What the kernel does not say is nothing,
// never zero: "no swap" and "swap unknown" lead to different decisions.

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"

namespace hotdesk {

struct HostReading {
    std::optional<Bytes> total;      // MemTotal
    std::optional<Bytes> available;  // MemAvailable: free, and what the kernel can drop at once
    std::optional<Bytes> swap_total;
    std::optional<Bytes> swap_free;
    // Microseconds, since boot, in which some task (all tasks) waited for memory; kernels may be
    // built or started without this (psi=1). Differences over a second are the signal.
    std::optional<int64_t> stalled_some_us;
    std::optional<int64_t> stalled_full_us;

    friend bool operator==(const HostReading&, const HostReading&) = default;
};

// Takes some 40 microseconds and blocks on nothing. `proc` is where procfs is mounted.
HostReading read_host(const std::string& proc = "/proc");

}  // namespace hotdesk
