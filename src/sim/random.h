// SPDX-License-Identifier: MIT
#pragma once
// The simulator's only source of chance: splitmix64, so that a seed means the same day on every
// machine, compiler and standard library.

#include <cstdint>

#include "base/units.h"

namespace hotdesk::sim {

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    // Both ends included. Requires: low <= high. The bias of the modulo is below 2^-30 here.
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() % (static_cast<uint64_t>(high - low) + 1));
    }
    Millis between(Millis low, Millis high) { return {between(low.value, high.value)}; }
    bool chance(int permille) { return between(0, 999) < permille; }
    // A stream of its own, so that one more draw in one place does not change all others.
    Random fork() { return Random(next()); }

  private:
    uint64_t state_;
};

}  // namespace hotdesk::sim
