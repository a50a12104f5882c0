// SPDX-License-Identifier: MIT
// Prints the trace hash of one simulated day for each seed from 1 to N, for comparing builds:
// sim_trace SEEDS [AGENTS [FAULTS [FIRST]]]. Exits 1 when a checker found something.

#include <fmt/format.h>

#include <cstdlib>

#include "sim/world.h"

int main(int argc, char** argv) {
    using namespace hotdesk;
    auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
    auto faults = sim::parse_faults(argc > 3 ? argv[3] : "all");
    if (!faults) return fmt::print(stderr, "{}\n", faults.error().message), 64;
    int first = number(4, 1), seeds = number(1, 3), failed = 0;
    for (int seed = first; seed < first + seeds; ++seed) {
        sim::Options day = sim::usual_day(static_cast<uint64_t>(seed), number(2, 50), *faults);
        day.check = true;
        auto result = sim::simulate(day);
        fmt::print("{} {:016x}\n", seed, result.summary.trace_hash);
        for (const auto& broken : result.broken)
            fmt::print(stderr, "seed {} at {}: {}: {}\n", seed, broken.at.ms, broken.checker,
                       broken.what);
        failed += result.broken.empty() ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}
