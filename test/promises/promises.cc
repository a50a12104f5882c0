// SPDX-License-Identifier: MIT
// Simulates mixtures of faults over odd and usual fleets until so many calls have been answered,
// with every checker: promises CALLS [FIRST_SEED]. Prints how many it took; when a promise
// is broken, the smallest case nearby as one command, and exits 1.
//
// One fleet in sixteen is checked with replay_equals_record, which costs more than all others.

#include <fmt/format.h>

#include <cstdlib>

#include "sim/shrink.h"

namespace {

using namespace hotdesk;
using namespace hotdesk::sim;

// Faults after which nobody promises how long a wait is; see WaitIsBounded. Half of the days have
// none of them.
constexpr Fault kVoiding[] = {Fault::kWorkerCrash,   Fault::kLoadCrash,    Fault::kStranger,
                              Fault::kForeignMemory, Fault::kProbeUnknown, Fault::kDaemonRestart,
                              Fault::kProbeLag,      Fault::kReload,       Fault::kOperator};

Case draw(uint64_t seed) {
    Random random(seed);
    Case drawn{.seed = seed, .agents = static_cast<int>(random.between(2, 24)), .length = hours(6)};
    for (int i = 0; i < kFaultCount; ++i)
        if (random.chance(350)) drawn.faults.add(static_cast<Fault>(i));
    if (random.chance(500))
        for (Fault fault : kVoiding) drawn.faults.remove(fault);
    return drawn;
}

int report(const Case& broken, const Broken& first) {
    fmt::print(stderr, "{}: {}\nshrinking {}\n", first.checker, first.what, command_for(broken));
    fmt::print(stderr, "replay with: {}\n", command_for(shrink(broken, breaks_a_promise)));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 100'000;
    uint64_t seed = argc > 2 ? static_cast<uint64_t>(std::atoll(argv[2])) : 1;
    int64_t calls = 0, days = 0, loads = 0;
    for (; calls < wanted; ++seed, ++days) {
        const Case drawn = draw(seed);
        Options day = usual_day(drawn.seed, drawn.agents, drawn.faults);
        day.length = drawn.length;
        day.check = true;
        day.check_replay = seed % 16 == 0;
        const Simulation simulation = simulate(std::move(day));
        if (!simulation.broken.empty()) return report(drawn, simulation.broken.front());
        calls += simulation.summary.calls.at(CallOutcome::kDone);
        loads += simulation.summary.loads;
    }
    fmt::print("{} calls answered with {} loads in {} fleets of six hours: every promise kept\n",
               calls, loads, days);
}
