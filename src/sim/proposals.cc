// SPDX-License-Identifier: MIT
#include "sim/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/fleet.h"
#include "sim/reschedule.h"

namespace hotdesk::sim {
namespace {

// So many of the heaviest agents are looked at, tasks and models.
constexpr size_t kAgentsMoved = 8, kAgentsAlone = 3, kTasks = 3, kModels = 2;
constexpr int kSlotsMax = 16;

struct Weighed {
    int64_t weight;
    AgentName name;
};

// The agents with the most of something, those that have any of it.
template <class Weigh>
std::vector<AgentName> heaviest(const Summary& day, size_t count, Weigh weigh) {
    std::vector<Weighed> all;
    for (const auto& [name, agent] : day.agents)
        if (int64_t weight = weigh(agent); weight > 0) all.push_back({weight, name});
    std::sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
        return a.weight != b.weight ? a.weight > b.weight : a.name < b.name;
    });
    std::vector<AgentName> names;
    for (const Weighed& one : all)
        if (names.size() < count) names.push_back(one.name);
    return names;
}

int64_t served(const AgentDay& agent) {
    return agent.served.value;
}
int64_t troubled(const AgentDay& agent) {
    return agent.served > Millis{} ? agent.late + agent.missed : 0;
}

// ---- quieter minutes ---------------------------------------------------------------------------

// What the agents ask of the desk in each minute of the day.
class Minutes {
  public:
    static constexpr int64_t kCount = 24 * 60;

    explicit Minutes(Wall start) : start_(start) {}

    // Adds (or takes away) one agent's work, each firing where it is due.
    void add(const AgentSpec& agent, const Schedule& schedule, int64_t work) {
        for_each(agent, schedule, [&](size_t minute) { work_[minute] += work; });
    }
    // What the others do in the minutes around its firings, on average.
    int64_t crowd(const AgentSpec& agent, const Schedule& schedule) const {
        int64_t sum = 0, firings = 0;
        for_each(agent, schedule, [&](size_t minute) {
            ++firings;
            for (size_t near = 0; near < kNear; ++near)
                sum += work_[(minute + kCount + near - 1) % kCount];
        });
        return sum / std::max<int64_t>(firings, 1);
    }

  private:
    static constexpr size_t kNear = 4;  // the minute before, its own, and two after

    template <class Visit>
    void for_each(const AgentSpec& agent, const Schedule& schedule, Visit visit) const {
        Wall end = start_ + hours(24), at = start_ - Millis{1};
        for (auto next = next_firing(schedule, agent.zone, at); next && *next < end;
             next = next_firing(schedule, agent.zone, *next))
            visit(static_cast<size_t>((*next - start_).value / minutes(1).value));
    }

    Wall start_;
    std::array<int64_t, kCount> work_{};
};

int64_t work_of_firing(const Summary& day, const AgentName& name) {
    auto agent = day.agents.find(name);
    if (agent == day.agents.end()) return 0;
    return agent->second.served.value / std::max<int64_t>(agent->second.firings, 1);
}

Minutes minutes_of(const Options& options, const Summary& day) {
    Minutes minutes(options.start);
    for (const auto& [name, agent] : options.fleet.agents)
        if (int64_t work = work_of_firing(day, name)) minutes.add(agent, agent.schedule, work);
    return minutes;
}

// Its schedule in the quietest minutes there are; nothing when it is in them.
std::optional<Schedule> quieter(const Minutes& others, const AgentSpec& agent) {
    std::optional<Schedule> best;
    int64_t least = others.crowd(agent, agent.schedule);
    for (int by = 1; by < 60; ++by) {
        auto later = moved(agent.schedule, by);
        if (!later) continue;
        int64_t crowd = others.crowd(agent, *later);
        if (crowd >= least) continue;
        least = crowd;
        best = std::move(later);
    }
    return best;
}

std::string written(const AgentName& name, const Schedule& now, const Schedule& before) {
    return fmt::format("agent {}: schedule = \"{}\" instead of \"{}\"", name.value, now.text,
                       before.text);
}

void move(const Options& options, const Summary& day, std::vector<Proposal>& out) {
    Minutes minutes = minutes_of(options, day);
    Proposal all{.what = "", .fleet = options.fleet};
    size_t count = 0;
    for (const AgentName& name : heaviest(day, kAgentsMoved, served)) {
        auto spec = all.fleet.agents.find(name);
        if (spec == all.fleet.agents.end()) continue;
        AgentSpec& agent = spec->second;
        int64_t work = work_of_firing(day, name);
        minutes.add(agent, agent.schedule, -work);
        if (auto later = quieter(minutes, agent)) {
            if (count < kAgentsAlone) {
                Fleet alone = options.fleet;
                alone.agents.at(name).schedule = *later;
                out.push_back({written(name, *later, agent.schedule), std::move(alone)});
            }
            all.what += fmt::format("{}{} \"{}\"", count++ == 0 ? "schedules: " : ", ", name.value,
                                    later->text);
            agent.schedule = *later;
        }
        minutes.add(agent, agent.schedule, work);
    }
    if (count > 1)
        out.insert(out.end() - static_cast<std::ptrdiff_t>(std::min(count, kAgentsAlone)),
                   std::move(all));
}

// ---- the other changes -------------------------------------------------------------------------

void stagger(const Options& options, std::vector<Proposal>& out) {
    if (options.fleet.policy.stagger >= Policy{}.stagger) return;
    Fleet fleet = options.fleet;
    fleet.policy.stagger = Policy{}.stagger;
    out.push_back({"[fleet] stagger = \"60s\"", std::move(fleet)});
}

void stretch(const Options& options, const Summary& day, std::vector<Proposal>& out) {
    std::vector<AgentName> names = heaviest(day, 1, troubled);
    for (const AgentName& name : heaviest(day, 2, served))
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const AgentName& name : names) {
        auto spec = options.fleet.agents.find(name);
        if (spec == options.fleet.agents.end()) continue;
        auto slower = stretched(spec->second.schedule);
        if (!slower) continue;
        Fleet fleet = options.fleet;
        fleet.agents.at(name).schedule = *slower;
        out.push_back({written(name, *slower, spec->second.schedule), std::move(fleet)});
    }
}

struct TaskUse {
    int64_t served = 0;
    ModelName home;
};

std::vector<std::pair<std::string, TaskUse>> busiest_tasks(const Fleet& fleet, const Summary& day) {
    std::map<std::string, TaskUse> uses;
    for (const auto& [name, agent] : fleet.agents) {
        auto of_day = day.agents.find(name);
        if (of_day == day.agents.end()) continue;
        TaskUse& use = uses[agent.task];
        use.served += of_day->second.served.value;
        use.home = home_of(fleet, agent);
    }
    std::vector<std::pair<std::string, TaskUse>> busiest;
    for (const auto& [task, use] : uses)
        if (use.served > 0 && day.models.contains(use.home)) busiest.emplace_back(task, use);
    std::stable_sort(busiest.begin(), busiest.end(), [](const auto& a, const auto& b) {
        return a.second.served > b.second.served;
    });
    if (busiest.size() > kTasks) busiest.resize(kTasks);
    return busiest;
}

std::string size_of(const ModelSpec& model) {
    return format_bytes(model.need.device + model.need.host);
}

// Another model for a task: one that others keep on the desk anyway, or a smaller one.
void remodel(const Options& options, const Summary& day, std::vector<Proposal>& out) {
    const Fleet& fleet = options.fleet;
    for (const auto& [task, use] : busiest_tasks(fleet, day)) {
        const ModelSpec& home = fleet.models.at(use.home);
        for (const auto& [name, model] : fleet.models) {
            auto shared = day.models.find(name);
            bool is_used = shared != day.models.end() && shared->second.calls > 0;
            bool is_smaller =
                model.need.device + model.need.host < home.need.device + home.need.host;
            if (name == use.home || !model.unusable.empty() || (!is_used && !is_smaller)) continue;
            Fleet changed = fleet;
            changed.tasks[task] = {name};
            out.push_back({fmt::format("task {}: models = [\"{}\"] ({}, {}), if its answers will "
                                       "do, instead of {} ({})",
                                       task, name.value, size_of(model),
                                       is_used ? "used by others as well" : "smaller",
                                       use.home.value, size_of(home)),
                           std::move(changed)});
        }
    }
}

// More calls at once for the models whose calls wait most: context where that is what is short.
void widen(const Options& options, const Summary& day, std::vector<Proposal>& out) {
    std::vector<std::pair<int64_t, ModelName>> waiting;
    for (const auto& [name, model] : day.models)
        if (model.waited > Millis{}) waiting.emplace_back(-model.waited.value, name);
    std::sort(waiting.begin(), waiting.end());
    if (waiting.size() > kModels) waiting.resize(kModels);
    for (const auto& [waited, name] : waiting) {
        auto model = options.fleet.models.find(name);
        if (model == options.fleet.models.end()) continue;
        const ModelDay& of_day = day.models.at(name);
        const ModelSpec& spec = model->second;
        Tokens each = of_day.context / std::max<int64_t>(of_day.calls, 1);
        Fleet fleet = options.fleet;
        ModelSpec& wider = fleet.models.at(name);
        if (spec.context > Tokens{} && each * spec.slots > spec.context) {
            wider.context = spec.context * 2;
            out.push_back({fmt::format("model {}: ctx = {} instead of {}, if it fits: a call takes "
                                       "{} tokens, and {} slots are not filled",
                                       name.value, wider.context.value, spec.context.value,
                                       each.value, spec.slots),
                           std::move(fleet)});
        } else if (spec.slots * 2 <= kSlotsMax) {
            wider.slots = spec.slots * 2;
            out.push_back({fmt::format("model {}: slots = {} instead of {}", name.value,
                                       wider.slots, spec.slots),
                           std::move(fleet)});
        }
    }
}

}  // namespace

std::vector<Proposal> propose(const Options& options, const Summary& day) {
    std::vector<Proposal> out;
    stagger(options, out);
    move(options, day, out);
    remodel(options, day, out);
    widen(options, day, out);
    stretch(options, day, out);
    return out;
}

}  // namespace hotdesk::sim
