// SPDX-License-Identifier: MIT
#include "cli/measured_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "store/history.h"

namespace hotdesk {
namespace {

constexpr int kChangesRead = 100;

// ---- an agent's runs ---------------------------------------------------------------------------

struct Sums {
    int64_t runs = 0, calls = 0;
    Tokens first_prompt, first_fresh, growth, later_fresh, completion;
    Millis gap;
};

Tokens fresh_of(const EndedCall& call) {
    return call.prompt - call.cached;
}

void add(Sums& sums, const EndedCall& call, const EndedCall* before) {
    ++sums.calls;
    sums.completion += call.completion;
    if (!before) {
        ++sums.runs;
        sums.first_prompt += call.prompt;
        sums.first_fresh += fresh_of(call);
        return;
    }
    sums.growth += std::max(call.prompt - before->prompt - before->completion, Tokens{});
    sums.later_fresh += fresh_of(call);
    sums.gap += std::max(call.arrived - before->ended, Millis{});
}

sim::Habit habit_of(const Sums& sums) {
    int64_t later = std::max<int64_t>(sums.calls - sums.runs, 1);
    return {.calls_permille = sums.calls * 1000 / sums.runs,
            .first_prompt = sums.first_prompt / sums.runs,
            .first_fresh = sums.first_fresh / sums.runs,
            .growth = sums.growth / later,
            .later_fresh = sums.later_fresh / later,
            .completion = sums.completion / sums.calls,
            .gap = sums.gap / later};
}

// ---- a model's speed ---------------------------------------------------------------------------

// Of ran = a * fresh + b * completion.
struct Fit {
    int64_t calls = 0;
    double ff = 0, fc = 0, cc = 0, rf = 0, rc = 0;

    void add(const EndedCall& call) {
        auto fresh = static_cast<double>(fresh_of(call).value);
        auto completion = static_cast<double>(call.completion.value);
        auto ran_us = static_cast<double>(call.ran.value) * 1000;
        ++calls;
        ff += fresh * fresh;
        fc += fresh * completion;
        cc += completion * completion;
        rf += ran_us * fresh;
        rc += ran_us * completion;
    }
    std::optional<sim::Speed> speed() const {
        double determinant = ff * cc - fc * fc;
        if (calls < kCallsMeasuredMin || determinant < ff * cc / 1000) return std::nullopt;
        double read_us = (rf * cc - rc * fc) / determinant;
        double step_us = (rc * ff - rf * fc) / determinant;
        if (read_us < 1 || step_us < 1) return std::nullopt;
        const sim::Speed usual;
        sim::Speed speed;
        speed.prefill_per_second = {static_cast<int64_t>(1'000'000 / read_us)};
        auto alone = static_cast<int64_t>(step_us);
        speed.step_each_us =
            std::max<int64_t>(alone * usual.step_each_us / (usual.step_us + usual.step_each_us), 1);
        speed.step_us = alone - speed.step_each_us;
        return speed;
    }
};

// ---- the report --------------------------------------------------------------------------------

void tell(const char* what, const std::vector<std::string>& known,
          const std::vector<std::string>& unknown, MeasuredWork& work) {
    if (!known.empty())
        work.measured.push_back(fmt::format("{} of {}", what, fmt::join(known, ", ")));
    if (!unknown.empty())
        work.assumed.push_back(
            fmt::format("{} of {}: the history has too little", what, fmt::join(unknown, ", ")));
}

void tell_of_agents(const Fleet& fleet, MeasuredWork& work) {
    std::vector<std::string> known, unknown;
    for (const auto& [name, agent] : fleet.agents)
        (work.habits.contains(name) ? known : unknown).push_back(name.value);
    tell("the calls", known, unknown, work);
}

void tell_of_models(const Fleet& fleet, MeasuredWork& work) {
    std::vector<std::string> loads, no_loads, speeds, no_speeds;
    for (const auto& [name, model] : fleet.models) {
        if (auto load = work.load_times.find(name); load != work.load_times.end())
            loads.push_back(fmt::format("{} ({})", name.value, format_duration(load->second)));
        else
            no_loads.push_back(name.value);
        if (auto found = work.speeds.find(name); found != work.speeds.end())
            speeds.push_back(fmt::format(
                "{} ({} tokens/s read, {:.1f} ms a token)", name.value,
                found->second.prefill_per_second.value,
                static_cast<double>(found->second.step_us + found->second.step_each_us) / 1000));
        else
            no_speeds.push_back(name.value);
    }
    tell("the load time", loads, no_loads, work);
    tell("the speed", speeds, no_speeds, work);
}

}  // namespace

std::map<AgentName, sim::Habit> habits_of(const std::vector<EndedCall>& calls) {
    std::map<AgentName, Sums> sums;
    std::map<RunId, const EndedCall*> before;
    for (const EndedCall& call : calls) {
        const EndedCall*& last = before[call.run];
        add(sums[call.agent], call, last);
        last = &call;
    }
    std::map<AgentName, sim::Habit> habits;
    for (const auto& [agent, of_agent] : sums)
        if (of_agent.runs >= kRunsMeasuredMin) habits.emplace(agent, habit_of(of_agent));
    return habits;
}

std::map<ModelName, sim::Speed> speeds_of(const std::vector<EndedCall>& calls) {
    std::map<ModelName, Fit> fits;
    for (const EndedCall& call : calls) fits[call.model].add(call);
    std::map<ModelName, sim::Speed> speeds;
    for (const auto& [model, fit] : fits)
        if (auto speed = fit.speed()) speeds.emplace(model, *speed);
    return speeds;
}

std::optional<Millis> load_time_in(const std::vector<ModelRecord>& changes) {
    std::vector<Millis> loads;
    for (size_t i = 1; i < changes.size(); ++i)
        if (changes[i - 1].change == ModelChange::kLoading &&
            changes[i].change == ModelChange::kLoaded)
            loads.push_back(changes[i].at - changes[i - 1].at);
    if (loads.empty()) return std::nullopt;
    std::sort(loads.begin(), loads.end());
    return loads[loads.size() / 2];
}

Result<MeasuredWork> read_work(const std::string& state_dir, const Fleet& fleet) {
    HD_TRY(History history, History::open(state_dir + "/hotdesk.db"));
    HD_TRY(auto calls, history.answered_calls(kHistoryRowsMax));
    MeasuredWork work{.habits = habits_of(calls), .speeds = speeds_of(calls)};
    for (const auto& [name, model] : fleet.models) {
        HD_TRY(auto changes, history.model_changes(name, kChangesRead));
        if (auto load = load_time_in(changes)) work.load_times.emplace(name, *load);
        for (const ModelRecord& change : changes)
            if (change.change == ModelChange::kLoaded)
                work.needs[name] = {.device = change.device, .host = change.host};
    }
    tell_of_agents(fleet, work);
    tell_of_models(fleet, work);
    return work;
}

}  // namespace hotdesk
