// SPDX-License-Identifier: MIT
#include "jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "sim/random.h"
#include "sim/world.h"

namespace hotdesk::optimum {
namespace {

// Longer than any day that is played: an agent fires once.
constexpr Millis kOnce = hours(24 * 30);

bool is_earlier(const PlannedJob& a, const PlannedJob& b) {
    return a.release < b.release;
}

AgentName name_of(size_t job) {
    return {fmt::format("job-{:05}", job)};
}

sim::RecordedDay day_of(const std::vector<PlannedJob>& jobs) {
    sim::RecordedDay day;
    day.length = jobs.empty() ? Millis{} : jobs.back().release + hours(6);
    for (size_t i = 0; i < jobs.size(); ++i) {
        day.agents[name_of(i)] = {
            .model = jobs[i].model, .period = kOnce, .phase = jobs[i].release, .own_prefix = {}};
        day.runs[{name_of(i), jobs[i].release}] = {.released = jobs[i].release,
                                                   .due = jobs[i].release + kOnce,
                                                   .skip_at = {},
                                                   .calls = {{jobs[i].fresh, jobs[i].decoded, {}}}};
    }
    return day;
}

PlannedJob drawn(sim::Random& random, Millis release, const char* model) {
    PlannedJob job{release, {model}, {}, {}};
    for (const sim::CallShape& call : sim::draw_run(random).calls) {
        job.fresh += call.fresh;
        job.decoded += call.completion;
    }
    return job;
}

}  // namespace

std::vector<PlannedJob> draw_jobs(uint64_t seed, int64_t length_hours) {
    sim::Random random(seed);
    std::vector<PlannedJob> jobs;
    for (int agent = 0; agent < 36; ++agent) {
        int64_t kind = random.between(0, 79);
        Millis period = minutes(kind < 15 ? 5 : kind < 35 ? 15 : kind < 55 ? 30 : 60);
        Millis phase;
        if (!random.chance(700)) phase = minutes(random.between(0, period.value / 60'000 - 1));
        for (Millis tick = phase; tick < hours(length_hours); tick += period)
            jobs.push_back(drawn(random, tick + random.between(Millis{}, seconds(2)),
                                 agent < 22 ? "heavy-1" : "heavy-2"));
    }
    std::stable_sort(jobs.begin(), jobs.end(), is_earlier);
    return jobs;
}

std::vector<PlannedJob> draw_few_jobs(uint64_t seed, int count, int models) {
    constexpr const char* kNames[] = {"heavy-1", "heavy-2", "heavy-3"};
    sim::Random random(seed);
    std::vector<PlannedJob> jobs;
    for (int i = 0; i < count; ++i) {
        const char* model = kNames[random.between(0, models - 1)];
        jobs.push_back({random.between(Millis{}, seconds(180)),
                        {model},
                        {random.between(10, 2000)},
                        {random.between(10, 600)}});
    }
    std::stable_sort(jobs.begin(), jobs.end(), is_earlier);
    return jobs;
}

std::vector<PlannedJob> jobs_of(const sim::RecordedDay& day, Millis from, Millis to) {
    std::vector<PlannedJob> jobs;
    for (const auto& [key, run] : day.runs) {
        if (run.released < from || run.released >= to) continue;
        PlannedJob job{run.released - from, day.agents.at(key.first).model, {}, {}};
        for (const sim::RecordedCall& call : run.calls) {
            job.fresh += call.fresh;
            job.decoded += call.decoded;
        }
        jobs.push_back(job);
    }
    std::stable_sort(jobs.begin(), jobs.end(), is_earlier);
    return jobs;
}

Played play(const std::vector<PlannedJob>& jobs, Adjust adjust) {
    sim::Options options = sim::recorded_day(day_of(jobs));
    for (auto& [name, model] : options.fleet.models) model.slots = 1;
    options.fleet.policy.stagger = {};
    adjust(options.fleet.policy);
    std::map<AgentName, CloseCall> ends;
    options.check = true;
    options.check_replay = false;
    options.one_more = [&](const sim::Turn& turn) -> sim::Violation {
        for (const CloseCall* close : sim::decided<CloseCall>(turn)) ends[close->agent] = *close;
        return std::nullopt;
    };
    const std::map<ModelName, Millis> loads = options.hardware.load_times;
    sim::Simulation simulation = sim::simulate(std::move(options));
    HD_CHECK(simulation.broken.empty() && ends.size() == jobs.size());

    Played played;
    std::map<ModelName, Problem::Model> models;
    for (size_t i = 0; i < jobs.size(); ++i) {
        const CloseCall& end = ends.at(name_of(i));
        models[jobs[i].model].jobs.push_back({jobs[i].release, end.ran});
        played.cost.waits += end.waited;
        played.cost.longest = std::max(played.cost.longest, end.waited);
    }
    played.cost.loads = simulation.summary.loads;
    for (auto& [name, model] : models) {
        model.load = loads.at(name);
        played.problem.models.push_back(std::move(model));
    }
    return played;
}

}  // namespace hotdesk::optimum
