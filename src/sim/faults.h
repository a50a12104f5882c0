// SPDX-License-Identifier: MIT
#pragma once
// What may go wrong in a simulated day, by name. Scenarios compose them: "worker_crash,stranger".

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hotdesk::sim {

enum class Fault : uint8_t {
    kWorkerCrash,    // a worker dies of a signal while it serves
    kLoadCrash,      // a worker dies while it loads
    kSlowLoad,       // loads take up to ten times as long, unloads outlast the kill grace
    kStubbornRun,    // a run ignores SIGTERM, or runs far too long
    kClientHangup,   // a client hangs up while it waits or is served
    kStranger,       // another program queues for the desk
    kForeignMemory,  // another program takes device memory without the lease
    kClockJump,      // the wall clock is set forward or back
    kDaemonRestart,  // kill -9 in the middle of a cycle, and a start some time later
    kProbeUnknown,   // the device cannot be measured for a while
    kProbeLag,       // freed memory is seen late, as drivers do it
    kReload,         // the fleet file changes
    kOperator,       // somebody pauses, evicts, runs and stops by hand
    kOddFleet,       // sizes, limits and habits drawn at random instead of the usual ones
};
inline constexpr int kFaultCount = static_cast<int>(Fault::kOddFleet) + 1;

// A set of faults.
class Faults {
  public:
    bool has(Fault fault) const { return (bits_ & bit(fault)) != 0; }
    void add(Fault fault) { bits_ |= bit(fault); }
    void add(const Faults& others) { bits_ |= others.bits_; }
    void remove(Fault fault) { bits_ &= ~bit(fault); }
    bool empty() const { return bits_ == 0; }
    friend bool operator==(const Faults&, const Faults&) = default;

  private:
    static uint32_t bit(Fault fault) { return 1u << static_cast<uint32_t>(fault); }
    uint32_t bits_ = 0;
};

std::string_view to_string(Fault fault);
std::string to_string(const Faults& faults);  // "worker_crash,stranger"; "none" when empty

// Reads "worker_crash,stranger", "all", "none" or "". Errors: kInvalid lists the names there are.
Result<Faults> parse_faults(std::string_view text);

}  // namespace hotdesk::sim
