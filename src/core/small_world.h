// SPDX-License-Identifier: MIT
#pragma once
// For the tests of the policy: a fleet, a State and a machine that fit in braces, and the loop's
// turn (apply, decide, until nothing is left to want) without its ports.

#include <utility>
#include <vector>

#include "core/step.h"

namespace hotdesk {

struct SmallWorld {
    State state;
    Snapshot seen{.now = {1'000'000},
                  .wall = {1'772'409'600'000},  // Monday 2 March 2026, 00:00 UTC
                  .device_total = gib(6),
                  .device_free = gib(6),
                  .host_total = gib(16),
                  .host_available = gib(16)};

    explicit SmallWorld(Fleet fleet) {
        happens(Configured{std::move(fleet), seen.wall});
        settle();
    }
    void happens(const Event& event) { apply(state, seen.now, event); }
    void pass(Millis time) {
        seen.now = seen.now + time;
        seen.wall = seen.wall + time;
    }
    // One turn of the loop. Returns: what was decided, in order.
    std::vector<Decision> settle() {
        std::vector<Decision> all;
        for (int round = 0; round < 16; ++round) {
            auto decisions = decide(state, seen).decisions;
            if (decisions.empty()) break;
            for (const Decision& decision : decisions) happens(Intended{decision});
            all.insert(all.end(), decisions.begin(), decisions.end());
        }
        return all;
    }
    std::vector<Action> actions() {
        std::vector<Action> all;
        for (Decision& decision : settle()) all.push_back(std::move(decision.action));
        return all;
    }
    // The answer of the executor to a load.
    void loads(const char* model, Millis takes = seconds(1)) {
        pass(takes);
        happens(WorkerReady{{model}, state.workers.at({model}).held});
    }
    void unloads(const char* model) { happens(WorkerGone{{model}, {}, false}); }
    void call(uint64_t id, const char* wanted, Millis wait = minutes(8)) {
        happens(CallArrived{.call = {id}, .run = {}, .agent = {}, .wanted = wanted, .wait = wait});
    }
    // The desk becomes ours, and `model` serves call 1.
    void serves_first_call(const char* model, Millis load = seconds(1)) {
        call(1, model);
        settle();
        happens(DeskGranted{});
        settle();
        loads(model, load);
        settle();
    }
    void ends(uint64_t id) { happens(CallFinished{{id}, {10}, {0}, {5}}); }
};

inline ModelSpec small_model(const char* name, Bytes device, int slots = 1) {
    ModelSpec spec{.name = {name}, .path = "/m.gguf"};
    spec.need.device = device;
    spec.slots = slots;
    spec.keep = minutes(10);
    return spec;
}

inline AgentSpec small_agent(const char* name, const char* schedule) {
    AgentSpec spec{.name = {name}};
    spec.schedule = *parse_schedule(schedule);
    return spec;
}

inline Fleet small_fleet(std::vector<ModelSpec> models, std::vector<AgentSpec> agents = {}) {
    Fleet fleet;
    fleet.policy.stagger = {};
    fleet.policy.hold = Millis{};
    fleet.policy.gate_age = seconds(60);
    fleet.policy.preload = Millis{};
    for (auto& model : models) fleet.models.emplace(model.name, model);
    for (auto& agent : agents) fleet.agents.emplace(agent.name, agent);
    return fleet;
}

}  // namespace hotdesk
