// SPDX-License-Identifier: MIT
#pragma once
// One number for everything that a simulated day decided: FNV-1a over every field of every
// decision and the instant it was made. Two days are the same when their numbers are.

#include <cstdint>

#include "loop/ports.h"

namespace hotdesk::sim {

class TraceHash {
  public:
    void add(const Cycle& cycle);
    uint64_t value() const { return hash_; }

  private:
    uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace hotdesk::sim
