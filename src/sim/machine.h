// SPDX-License-Identifier: MIT
#pragma once
// The memory of the simulated machine: what is really taken, by whom, and what a probe sees of it.
// An allocation beyond the total fails, as it does on a real device.

#include <optional>

#include "core/world.h"
#include "sim/stage.h"
#include "sim/workload.h"

namespace hotdesk::sim {

class Machine {
  public:
    Machine(Stage& stage, Hardware hardware) : stage_(stage), hardware_(hardware) {}

    // Returns: false, and takes nothing, when it does not fit.
    bool take(Footprint need);
    void give_back(Footprint held);
    // Takes or frees memory of a program that is not ours; at most what is free.
    void set_foreign(Bytes device);
    void blind(bool blind) { blind_ = blind; }

    Snapshot look() const;
    Footprint used() const { return used_; }
    Bytes foreign() const { return foreign_; }
    Footprint used_max() const { return used_max_; }

  private:
    Stage& stage_;
    Hardware hardware_;
    Footprint used_;      // by our workers
    Footprint used_max_;  // ever
    Bytes foreign_;       // by programs without the lease
    Bytes lagging_;       // free, but not yet seen to be
    bool blind_ = false;
};

}  // namespace hotdesk::sim
