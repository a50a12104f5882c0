// SPDX-License-Identifier: MIT
#include "core/wait.h"

#include <algorithm>

#include "core/limits.h"
#include "core/pace.h"

namespace hotdesk {
namespace {

int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

class Forecast {
  public:
    Forecast(const State& state, Instant now)
        : state_(state), now_(now), policy_(state.fleet.policy), gate_age_(gate_age_of(state)) {
        const ServiceOrder order{policy_.queue, now - gate_age_};
        lines_ = lines_of(state);
        for (auto& [model, line] : lines_)
            std::sort(line.waiting.begin(), line.waiting.end(), order);
    }

    std::map<CallId, Wait> all() const {
        std::map<CallId, Wait> waits;
        for (const auto& [model, line] : lines_)
            for (size_t i = 0; i < line.waiting.size(); ++i)
                waits[line.waiting[i]->id] = one(*line.waiting[i], line, static_cast<int>(i) + 1);
        return waits;
    }

  private:
    Wait one(const Call& call, const Line& line, int place) const {
        const int of = static_cast<int>(line.waiting.size());
        const bool is_known =
            state_.fleet.models.contains(call.model) && state_.workers.contains(call.model);
        if (!is_known) return {.place = place, .of = of};  // a reload took the model away
        Wait wait{.place = place,
                  .of = of,
                  .about = about(call, line, place),
                  .latest = bound(call, line, place)};
        if (wait.latest) wait.latest = std::min(*wait.latest, call.deadline);
        return wait;
    }

    // ---- the bound -----------------------------------------------------------------------------

    // Calls of the model that may run together; one at a time when their contexts may not fit.
    static int64_t slots_of(const ModelSpec& spec, const Line& line) {
        Tokens size = line.running_size;
        for (const Call* call : line.waiting) size += call->size;
        return size <= spec.context ? std::max(spec.slots, 1) : 1;
    }
    bool on_desk(const ModelSpec& spec) const {
        return spec.placement == Placement::kDesk && spec.unusable.empty();
    }
    // Visits that `calls` need: each starts as many as there are slots, again and again until
    // visit_max is over, though no call may end before call_max.
    int64_t rounds_for(int64_t calls, int64_t slots) const {
        int64_t starts = slots * (1 + policy_.visit_max.value / policy_.call_max.value);
        return ceil_div(calls, starts);
    }

    std::optional<Instant> bound(const Call& call, const Line& line, int place) const {
        const Worker& worker = state_.workers.at(call.model);
        const ModelSpec& spec = state_.fleet.models.at(call.model);
        const int64_t slots = slots_of(spec, line);
        const Millis own = policy_.call_max * ceil_div(line.running + place - 1, slots);
        const bool is_served = worker.phase == WorkerPhase::kReady && worker.failures == 0;
        if (policy_.queue == QueuePolicy::kFifo) return std::nullopt;
        if (!on_desk(spec) || is_alone(call.model))
            return is_served ? std::optional(now_ + own) : std::nullopt;
        if (state_.desk.lease != LeasePhase::kHeld || state_.desk.stranger_since)
            return std::nullopt;

        const Millis visit = policy_.visit_max + policy_.call_max;
        Millis round = std::min(visit, own), longest_load;
        int64_t rounds = rounds_for(place, slots);
        for (const auto& [name, other] : state_.fleet.models) {
            if (!on_desk(other)) continue;
            auto load = load_time_of(state_, name);
            if (!load || has_failed(name)) return std::nullopt;
            longest_load = std::max(longest_load, *load);
            round += policy_.kill_grace + *load + (name == call.model ? Millis{} : visit);
            rounds = std::max(rounds, rounds_for(older_calls(name, call), 1));
        }
        const Millis young = std::max(gate_age_ - (now_ - call.arrived), Millis{});
        return now_ + young + longest_load + visit + round * rounds;
    }
    bool has_failed(const ModelName& model) const {
        auto worker = state_.workers.find(model);
        return worker != state_.workers.end() && worker->second.failures > 0;
    }
    bool is_alone(const ModelName& model) const {
        return std::none_of(
            state_.fleet.models.begin(), state_.fleet.models.end(),
            [&](const auto& entry) { return entry.first != model && on_desk(entry.second); });
    }
    int64_t older_calls(const ModelName& model, const Call& call) const {
        auto line = lines_.find(model);
        if (line == lines_.end() || model == call.model) return 0;
        return std::count_if(line->second.waiting.begin(), line->second.waiting.end(),
                             [&](const Call* other) { return other->id < call.id; });
    }

    // ---- the estimate --------------------------------------------------------------------------

    // Until `calls` more calls of the model have been started by its slots.
    static Millis to_serve(const Worker& worker, const ModelSpec& spec, int64_t calls) {
        return worker.answer_time * calls / std::max(spec.slots, 1);
    }

    std::optional<Millis> about(const Call& call, const Line& line, int place) const {
        const ModelSpec& spec = state_.fleet.models.at(call.model);
        const Worker& worker = state_.workers.at(call.model);
        if (worker.answers < kAnswersMin) return std::nullopt;
        const int64_t ahead = std::max(line.running + place - spec.slots, 0);
        switch (worker.phase) {
            case WorkerPhase::kReady: return to_serve(worker, spec, ahead);
            case WorkerPhase::kLoading: {
                Millis left = worker.load_time - (now_ - worker.since);
                return std::max(left, Millis{}) + to_serve(worker, spec, ahead);
            }
            case WorkerPhase::kAbsent:
            case WorkerPhase::kUnloading: break;
        }
        return before_its_turn(call) + worker.load_time + to_serve(worker, spec, ahead);
    }
    // What the desk does first: the loaded model's calls, and the models whose turn is earlier.
    Millis before_its_turn(const Call& call) const {
        Millis before;
        for (const auto& [name, line] : lines_) {
            auto spec = state_.fleet.models.find(name);
            if (name == call.model || spec == state_.fleet.models.end()) continue;
            const Worker& worker = state_.workers.at(name);
            bool is_earlier = !line.waiting.empty() && line.waiting.front()->id < call.id;
            bool is_there = worker.phase != WorkerPhase::kAbsent;
            if (!on_desk(spec->second) || !(is_earlier || is_there)) continue;
            auto calls = line.running + static_cast<int64_t>(line.waiting.size());
            before += to_serve(worker, spec->second, calls);
            if (!is_there) before += worker.load_time;
        }
        return before;
    }

    const State& state_;
    Instant now_;
    const Policy& policy_;
    Millis gate_age_;
    std::map<ModelName, Line> lines_;
};

}  // namespace

std::map<CallId, Wait> waits_of(const State& state, Instant now) {
    return Forecast(state, now).all();
}

}  // namespace hotdesk
