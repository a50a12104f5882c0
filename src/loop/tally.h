// SPDX-License-Identifier: MIT
#pragma once
// Counts what a stretch of cycles did: runs by outcome, loads, waits, and how many models of the
// desk were resident at once. Fed from a live journal port or from a journal read back, so the
// demo, the simulator and a replay all mean the same by a number.

#include <map>
#include <set>
#include <vector>

#include "core/event.h"
#include "core/world.h"

namespace hotdesk {

struct Percentiles {
    int64_t p50 = 0, p95 = 0, p99 = 0, max = 0;
    friend bool operator==(const Percentiles&, const Percentiles&) = default;
};

// The nearest-rank percentiles; all zero for no values.
Percentiles percentiles_of(std::vector<int64_t> values);

class Tally {
  public:
    void add(const Event& event);
    void add(const Decision& decision);

    int64_t firings_without_run(Outcome outcome) const { return at(skips_, outcome); }
    int64_t runs(Outcome outcome) const { return at(runs_, outcome); }
    int64_t calls(CallOutcome outcome) const { return at(calls_, outcome); }
    int64_t loads() const { return loads_; }
    int64_t loads_failed() const { return loads_failed_; }
    // Most models that had, or were getting, memory on the desk at one time.
    int64_t desk_resident_max() const { return desk_resident_max_; }
    const std::vector<int64_t>& waits_ms() const { return waits_ms_; }

  private:
    template <class K>
    static int64_t at(const std::map<K, int64_t>& map, K key) {
        auto it = map.find(key);
        return it == map.end() ? 0 : it->second;
    }

    std::map<ModelName, Placement> placements_;
    std::set<ModelName> on_desk_;
    std::map<Outcome, int64_t> runs_, skips_;
    std::map<CallOutcome, int64_t> calls_;
    int64_t loads_ = 0, loads_failed_ = 0, desk_resident_max_ = 0;
    std::vector<int64_t> waits_ms_;  // of calls that were answered
    std::set<ModelName> loading_;
};

}  // namespace hotdesk
