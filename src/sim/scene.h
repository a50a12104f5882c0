// SPDX-License-Identifier: MIT
#pragma once
// For the tests of the checkers: a turn of the loop that fits in braces.

#include <utility>
#include <vector>

#include "core/small_world.h"
#include "sim/promise.h"

namespace hotdesk::sim {

// A turn in braces: what was decided, and the truth at that moment.
struct Scene {
    SmallWorld world{small_fleet({small_model("a", gib(4)), small_model("b", gib(4))},
                                 {small_agent("inbox", "0 * * * *")})};
    Truth truth{.device_total = gib(6), .host_total = gib(16)};

    Turn turn(const std::vector<Decision>& decisions, const std::vector<Event>& events = {}) {
        cycle_ = {world.seen, events, decisions, {}};
        return {cycle_, world.state, truth};
    }
    void has_worker(const char* model, int running = 0) {
        truth.workers[{model}] = {small_model(model, gib(4)), running};
    }
    Rest rest() {
        world.settle();
        return {world.state, world.seen, decide(world.state, world.seen).alarm};
    }

  private:
    Cycle cycle_;
};

inline std::vector<Decision> decisions(std::vector<Action> actions) {
    std::vector<Decision> all;
    for (Action& action : actions) all.push_back({std::move(action), {}});
    return all;
}

}  // namespace hotdesk::sim
