// SPDX-License-Identifier: MIT
// How far the shipped scheduler is from the best that anybody could have done who knew the day:
// jobs (a whole run as one call), one slot, two models that exclude each other.
//
//   bench_offline_optimum [SEEDS [HOURS]]              drawn days; default 6 of 3 hours
//   zcat DAY.ndjson.gz | bench_offline_optimum - [HOURS]   a recorded day, so many hours at a time
//
// Prints, for each policy, means over the stretches: its loads, mean wait and longest wait, and
// those of the optimum: least sum of waits, the same with 10 s for each load, least longest wait.

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "jobs.h"
#include "optimum.h"

namespace {

using namespace hotdesk;
using namespace hotdesk::optimum;

struct Named {
    const char* name;
    Adjust adjust;
};
constexpr Named kPolicies[] = {
    {"gba", [](Policy&) {}},
    {"gba, hold 0", [](Policy& p) { p.hold = Millis{}; }},
    {"gba, hold 0, gate 30 s",
     [](Policy& p) {
         p.hold = Millis{};
         p.gate_age = seconds(30);
     }},
    {"fifo", [](Policy& p) { p.queue = QueuePolicy::kFifo; }},
};

std::vector<std::vector<PlannedJob>> stretches(int argc, char** argv) {
    const bool recorded = argc > 1 && std::string(argv[1]) == "-";
    const int64_t length = argc > 2 ? std::atoi(argv[2]) : 3;
    std::vector<std::vector<PlannedJob>> all;
    if (!recorded) {
        const int seeds = argc > 1 ? std::atoi(argv[1]) : 6;
        for (int seed = 1; seed <= seeds; ++seed)
            all.push_back(draw_jobs(static_cast<uint64_t>(seed), length));
        return all;
    }
    std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    auto day = sim::read_day(text);
    if (!day) {
        fmt::print(stderr, "{}\n", day.error().message);
        std::exit(1);
    }
    for (Millis from; from < day->length; from += hours(length))
        all.push_back(jobs_of(*day, from, from + hours(length)));
    return all;
}

void print_row(const char* name, const Cost& sum, int64_t jobs, size_t stretches) {
    auto count = static_cast<double>(stretches);
    fmt::print("{:<24} {:>7.1f} {:>12.1f} {:>14.1f}\n", name,
               static_cast<double>(sum.loads) / count,
               static_cast<double>(sum.waits.value) / 1000 / static_cast<double>(jobs),
               static_cast<double>(sum.longest.value) / 1000 / count);
}
void add(Cost& sum, const Cost& cost) {
    sum.waits += cost.waits;
    sum.longest += cost.longest;
    sum.loads += cost.loads;
}

}  // namespace

int main(int argc, char** argv) {
    const auto all = stretches(argc, argv);
    int64_t jobs = 0;
    for (const auto& stretch : all) jobs += static_cast<int64_t>(stretch.size());
    fmt::print("{} stretches, {} jobs\n\n{:<24} {:>7} {:>12} {:>14}\n", all.size(), jobs, "",
               "loads", "mean wait s", "longest wait s");
    Cost waits, total, longest;
    for (const auto& policy : kPolicies) {
        Cost sum;
        for (const auto& stretch : all) {
            Played played = play(stretch, policy.adjust);
            add(sum, played.cost);
            if (&policy != &kPolicies[0]) continue;
            add(waits, least_total(played.problem, {}));
            add(total, least_total(played.problem, seconds(10)));
            add(longest, least_longest(played.problem));
        }
        print_row(policy.name, sum, jobs, all.size());
    }
    print_row("optimum, waits", waits, jobs, all.size());
    print_row("optimum, waits and loads", total, jobs, all.size());
    print_row("optimum, longest wait", longest, jobs, all.size());
}
