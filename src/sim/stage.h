// SPDX-License-Identifier: MIT
#pragma once
// What the parts of the simulated machine share: its two clocks, what is still to happen, the
// chance and the way events reach the loop.

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "core/event.h"
#include "sim/faults.h"
#include "sim/random.h"

namespace hotdesk::sim {

// When every simulation begins; not zero, which State uses for "never".
inline constexpr Instant kDawn{1'000'000};

// Owns the order of things: (time, then the order in which they were planned).
class Timeline {
  public:
    explicit Timeline(Wall start) : wall_offset_{start.ms - now_.ms} {}

    Instant now() const { return now_; }
    Wall wall() const { return Wall{now_.ms} + wall_offset_; }
    void jump_wall(Millis by) { wall_offset_ += by; }
    // When a wall-clock time is reached if nobody sets the clock.
    Instant instant_of(Wall wall) const { return now_ + (wall - this->wall()); }

    void after(Millis delay, std::function<void()> happens) {
        heap_.push_back({now_ + delay, next_++, std::move(happens)});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    // Moves to the next happening, but not beyond `limit`, and lets what is due happen.
    void advance(Instant limit) {
        if (!heap_.empty()) limit = std::min(limit, heap_.front().at);
        now_ = std::max(now_, limit);
        while (!heap_.empty() && heap_.front().at <= now_) {
            std::pop_heap(heap_.begin(), heap_.end(), later);
            auto happens = std::move(heap_.back().happens);
            heap_.pop_back();
            happens();
        }
    }

  private:
    struct Happening {
        Instant at;
        uint64_t order;
        std::function<void()> happens;
    };
    static bool later(const Happening& a, const Happening& b) {
        return std::pair(a.at, a.order) > std::pair(b.at, b.order);
    }

    Instant now_ = kDawn;
    Millis wall_offset_;
    uint64_t next_ = 0;
    std::vector<Happening> heap_;
};

struct Stage {
    Timeline time;
    Random random;
    Faults faults;
    std::vector<Event> inbox;  // not yet given to the loop

    void post(Event event) { inbox.push_back(std::move(event)); }
    bool strikes(Fault fault, int permille) { return faults.has(fault) && random.chance(permille); }
};

}  // namespace hotdesk::sim
