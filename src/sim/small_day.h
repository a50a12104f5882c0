// SPDX-License-Identifier: MIT
#pragma once
// For tests: recorded days that are drawn from a seed instead of read from a file.

#include <string>

#include "sim/random.h"
#include "sim/recorded_day.h"

namespace hotdesk::sim {

inline RecordedRun small_run(Random& random, Millis tick, Millis period) {
    RecordedRun run{.released = tick + random.between(Millis{}, seconds(2)),
                    .due = tick + period,
                    .skip_at = tick + period * 8 / 10,
                    .calls = {}};
    for (int64_t left = random.between(1, 4); left > 0; --left)
        run.calls.push_back({{random.between(50, 600)},
                             {random.between(40, 300)},
                             random.between(Millis{500}, seconds(4))});
    return run;
}

// Three hours of 36 agents, on two models that exclude each other, every 5 to 30 minutes and
// most of them on round ones.
inline RecordedDay small_day(uint64_t seed) {
    Random random(seed);
    RecordedDay day{.seed = seed, .length = hours(3), .shared_prefix = {1000}};
    for (int i = 0; i < 36; ++i) {
        AgentName name{"agent-" + std::to_string(100 + i)};
        Millis period = minutes(5 * random.between(1, 6)), phase;
        if (random.chance(300)) phase = minutes(random.between(1, 4));
        day.agents[name] = {{random.chance(600) ? "heavy-1" : "heavy-2"},
                            period,
                            phase,
                            {random.between(100, 900)}};
        for (Millis tick = phase; tick < day.length; tick += period)
            day.runs[{name, tick}] = small_run(random, tick, period);
    }
    return day;
}

}  // namespace hotdesk::sim
