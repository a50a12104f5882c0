// SPDX-License-Identifier: MIT
// The faults that come from outside, each on its own clock. Those that belong to a process (a
// crash, a slow load, a stubborn run) are in workers.cc and agents.cc.

#include <iterator>

#include "sim/world.h"

namespace hotdesk::sim {

void World::every(Millis least, Millis most, std::function<void()> strike) {
    stage_.time.after(stage_.random.between(least, most), [this, least, most, strike] {
        if (!dead_) strike();
        every(least, most, strike);
    });
}

void World::plan_faults() {
    const Faults& faults = stage_.faults;
    Random& random = stage_.random;
    if (faults.has(Fault::kStranger)) send_strangers(Strangers{});
    if (options_.strangers) send_strangers(*options_.strangers);
    if (faults.has(Fault::kForeignMemory))
        every(minutes(1), minutes(30), [&] {
            machine_.set_foreign(random.chance(500) ? Bytes{} : mib(random.between(100, 4000)));
        });
    if (faults.has(Fault::kProbeUnknown))
        every(minutes(1), minutes(20), [&] { machine_.blind(random.chance(400)); });
    if (faults.has(Fault::kClockJump))
        every(minutes(20), hours(4), [&] {
            bool summer_time = random.chance(500);
            stage_.time.jump_wall(summer_time ? hours(random.chance(500) ? 1 : -1)
                                              : random.between(minutes(-10), minutes(10)));
        });
    if (faults.has(Fault::kDaemonRestart))
        every(minutes(20), hours(4),
              [&] { actions_to_live_ = static_cast<int>(random.between(0, 3)); });
    if (faults.has(Fault::kReload)) every(minutes(5), hours(2), [&] { change_fleet(); });
    if (faults.has(Fault::kOperator)) every(minutes(1), minutes(30), [&] { meddle(); });
}

void World::send_strangers(const Strangers& strangers) {
    every(strangers.every_least, strangers.every_most, [this, strangers] {
        Millis hold = stage_.random.between(strangers.hold_least, strangers.hold_most);
        Millis patience = stage_.random.between(strangers.patience_least, strangers.patience_most);
        desk_.queue_stranger(hold, patience);
    });
}

namespace {

template <class Map>
auto& pick(Map& map, Random& random) {
    auto it = map.begin();
    std::advance(it, random.between(0, static_cast<int64_t>(map.size()) - 1));
    return it->second;
}

}  // namespace

// A model with another context, an agent with another habit, or the same file again.
void World::change_fleet() {
    Random& random = stage_.random;
    AgentSpec& agent = pick(options_.fleet.agents, random);
    switch (random.between(0, 4)) {
        case 0: pick(options_.fleet.models, random).context += Tokens{1024}; break;
        case 1: agent.overlap = static_cast<Overlap>(random.between(0, 2)); break;
        case 2: agent.paused = !agent.paused; break;
        case 3:
            if (auto schedule = parse_schedule(random.chance(500) ? "*/7 * * * *" : "every 11m"))
                agent.schedule = *schedule;
            break;
        default: break;
    }
    stage_.post(Configured{options_.fleet, stage_.time.wall()});
}

// What an operator does by hand.
void World::meddle() {
    Random& random = stage_.random;
    const AgentName agent = pick(options_.fleet.agents, random).name;
    switch (random.between(0, 4)) {
        case 0: return stage_.post(PauseWanted{agent, random.chance(500)});
        case 1: return stage_.post(PauseWanted{{}, random.chance(200)});
        case 2: return stage_.post(EvictWanted{pick(options_.fleet.models, random).name});
        case 3: return stage_.post(RunWanted{agent, stage_.time.wall()});
        default:
            if (!history_.open.empty()) stage_.post(RunUnwanted{*history_.open.begin()});
    }
}

}  // namespace hotdesk::sim
