// SPDX-License-Identifier: MIT
#include "core/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/calls.h"
#include "core/line.h"
#include "core/pace.h"
#include "core/router.h"

namespace hotdesk {
namespace {

// Decides for the models of one placement. Built for one decide(); `lines_` is kept up to date with
// what this pass starts, so that no slot is given twice.
class Scheduler {
  public:
    Scheduler(const State& state, const Snapshot& seen, Draft& draft)
        : state_(state),
          seen_(seen),
          draft_(draft),
          gate_age_(gate_age_of(state)),
          order_{state.fleet.policy.queue, seen.now - gate_age_},
          lines_(lines_of(state)) {
        for (auto& [model, line] : lines_) {
            std::erase_if(line.waiting, [&](const Call* call) {  // decide_call_ends refused them
                return seen.now >= call->deadline || cannot_fit(state, *call, seen);
            });
            std::sort(line.waiting.begin(), line.waiting.end(), order_);
        }
    }

    void decide() {
        admit();
        decide_stuck_workers();
        decide_failed_loads();
        decide_host_loads();
        if (anybody_unrouted()) return;  // it has its line in the next round, and may be ours
        decide_gate();
        decide_desk();
    }

  private:
    const Policy& policy() const { return state_.fleet.policy; }
    const ModelSpec* spec_of(const ModelName& model) const {
        auto it = state_.fleet.models.find(model);
        return it == state_.fleet.models.end() ? nullptr : &it->second;
    }
    bool on_desk(const ModelName& model) const {
        const ModelSpec* spec = spec_of(model);
        return spec && spec->placement == Placement::kDesk;
    }
    static bool is_on_desk(const Worker& worker) {
        return worker.phase != WorkerPhase::kAbsent && worker.spec.placement == Placement::kDesk;
    }

    bool anybody_unrouted() const {
        return std::any_of(state_.calls.begin(), state_.calls.end(), [](const auto& entry) {
            return entry.second.phase == CallPhase::kArrived;
        });
    }

    // -- admission: each loaded model's line in its order, as far as the gate lets calls through

    bool is_visit_over() const {
        return state_.desk.gate && seen_.now - state_.desk.gate_since >= policy().visit_max;
    }
    bool passes_gate(const Worker& worker, const Call& call) const {
        if (worker.spec.placement != Placement::kDesk) return true;
        if (policy().queue == QueuePolicy::kFifo) return !is_behind_other(call);
        return !state_.desk.gate || (call.id <= state_.desk.gate && !is_visit_over());
    }
    bool is_leaving(const ModelName& model, const Worker& worker) const {
        const ModelSpec* spec = spec_of(model);
        return worker.evict_wanted || !spec || !host_alike(*spec, worker.spec);
    }
    void admit() {
        for (const auto& [model, worker] : state_.workers)
            if (worker.phase == WorkerPhase::kReady && !is_leaving(model, worker))
                admit_to(model, worker);
    }
    void admit_to(const ModelName& model, const Worker& worker) {
        auto found = lines_.find(model);
        if (found == lines_.end()) return;
        Line& line = found->second;
        std::vector<const Call*> still_waiting;
        bool is_full = false;
        for (const Call* call : line.waiting) {
            bool passes = !is_full && passes_gate(worker, *call);
            is_full = is_full || (passes && !has_room(worker.spec, line, *call));
            if (!passes || is_full) {
                still_waiting.push_back(call);
                continue;
            }
            Millis waited = seen_.now - call->arrived;
            draft_.want(StartCall{call->id, model},
                        {.reason = Reason::kHeadOfLine, .have = waited.value});
            ++line.running;
            line.running_size += call->size;
        }
        line.waiting = std::move(still_waiting);
    }

    // -- workers that do not do what they were asked

    void decide_stuck_workers() {
        for (const auto& [model, worker] : state_.workers) {
            if (worker.phase == WorkerPhase::kUnloading && !worker.killing)
                kill_after(model, worker, policy().kill_grace, Reason::kKillGraceOver);
            if (worker.phase == WorkerPhase::kLoading)
                kill_after(model, worker, kLoadMax, Reason::kLoadStuck);
        }
    }
    void kill_after(const ModelName& model, const Worker& worker, Millis limit, Reason reason) {
        Millis since = seen_.now - worker.since;
        if (since < limit) return draft_.look_again(worker.since + limit);
        draft_.want(UnloadModel{model, true}, {reason, limit.value, since.value});
    }

    // -- loads that failed: try again, or tell the callers

    // A crash may have been anybody's, and memory may come back; a bad file stays bad.
    static bool is_worth_waiting(const Worker& worker) {
        if (worker.last_error.code == Code::kNoSpace) return worker.failures < kLoadFailuresMax;
        return worker.last_error.code == Code::kUnavailable && worker.failures < kCallAttemptsMax;
    }
    void decide_failed_loads() {
        for (const auto& [model, worker] : state_.workers) {
            if (worker.failures == 0 || worker.phase != WorkerPhase::kAbsent) continue;
            bool waits = is_worth_waiting(worker);
            if (!waits) refuse_line(model, worker);
            if (seen_.now >= worker.retry_at) continue;
            backing_off_.insert(model);
            if (waits) draft_.look_again(worker.retry_at);
        }
    }
    // Refuses the calls that the failed load was for and, until the next try, those after them.
    void refuse_line(const ModelName& model, const Worker& worker) {
        Millis left = worker.retry_at - seen_.now;
        std::erase_if(lines_[model].waiting, [&](const Call* call) {
            Why why{.reason = Reason::kLoadFailed, .who = worker.last_error.message};
            if (call->arrived > worker.since) why = {Reason::kLoadBackoff, left.value, 0, why.who};
            if (call->arrived > worker.since && left <= Millis{}) return false;
            draft_.want(refusal(*call, seen_.now, worker.last_error.code), std::move(why));
            return true;
        });
    }

    // -- models on the CPU: beside whatever has the desk, as far as RAM goes

    void decide_host_loads() {
        Bytes have = host_free();
        for (auto& [model, line] : lines_) {
            bool absent =
                spec_of(model) && !is_present(state_, model) && !backing_off_.contains(model);
            if (line.waiting.empty() || on_desk(model) || !absent) continue;
            Bytes need = spec_of(model)->need.host;
            if (need > have) {
                draft_.look_again(seen_.now + kProbeLagMax);
                continue;
            }
            draft_.want(LoadModel{model}, {Reason::kDemand, need.value, have.value});
            have -= need;
        }
    }
    // RAM that models may still take; unknown RAM does not hold a model back.
    Bytes host_free() const {
        if (!seen_.host_available || !seen_.host_total) return Bytes{INT64_MAX};
        Bytes by_ledger = *seen_.host_total - policy().host_reserve - held_by_workers(state_).host;
        return std::min(by_ledger, *seen_.host_available - policy().host_reserve);
    }

    // -- the gate

    // Somebody who waits for a desk that is not theirs: a call of a model that is not loaded, or a
    // program behind us in the line.
    struct Other {
        const Call* call = nullptr;  // null: a stranger
        Instant since;
        std::string who() const {
            return call ? fmt::format("call c-{} for {}", call->id.value, call->model.value)
                        : "another program";
        }
    };
    // The one whose turn is next, and the one who has waited longest; they differ when somebody
    // interactive waits, until the oldest has waited gate_age.
    std::optional<Other> first_other() const { return other_by(order_); }
    std::optional<Other> oldest_other() const {
        return other_by(ServiceOrder{QueuePolicy::kFifo, {}});
    }
    std::optional<Other> other_by(const ServiceOrder& order) const {
        const Call* first = nullptr;
        for (const auto& [model, line] : lines_) {
            if (line.waiting.empty() || !on_desk(model)) continue;
            if (is_serving(model) || backing_off_.contains(model)) continue;
            const Call* head = *std::min_element(line.waiting.begin(), line.waiting.end(), order);
            if (!first || order(*head, *first)) first = head;
        }
        const auto& stranger = state_.desk.stranger_since;
        if (stranger && (!first || *stranger <= first->arrived)) return Other{nullptr, *stranger};
        if (!first) return std::nullopt;
        return Other{first, first->arrived};
    }
    // Strict FIFO: somebody came before this call and has no model yet. A model whose load failed
    // holds nobody up, or what is loaded meanwhile would leave again without having served.
    bool is_behind_other(const Call& call) const {
        const auto& stranger = state_.desk.stranger_since;
        if (stranger && *stranger <= call.arrived) return true;
        return std::any_of(lines_.begin(), lines_.end(), [&](const auto& entry) {
            const auto& [model, line] = entry;
            if (line.waiting.empty() || !on_desk(model) || is_serving(model)) return false;
            return state_.workers.at(model).failures == 0 && line.waiting.front()->id < call.id;
        });
    }
    // Loaded, or about to be: its line is served without another decision.
    bool is_serving(const ModelName& model) const {
        const Worker& worker = state_.workers.at(model);
        if (worker.phase == WorkerPhase::kLoading) return true;
        return worker.phase == WorkerPhase::kReady && !is_leaving(model, worker);
    }
    void decide_gate() {
        auto other = oldest_other();
        bool closed = static_cast<bool>(state_.desk.gate);
        if (!other && closed) draft_.want(SetGate{}, {.reason = Reason::kGateOpen});
        if (!other || state_.calls.empty() || policy().queue == QueuePolicy::kFifo) return;
        if (closed) return draft_.look_again(state_.desk.gate_since + policy().visit_max);
        if (anybody_moving()) return;  // whoever comes while a model loads is served by its visit
        Millis waited = seen_.now - other->since;
        if (waited >= gate_age_)
            draft_.want(SetGate{state_.calls.rbegin()->first},
                        {Reason::kGateAge, gate_age_.value, waited.value, other->who()});
        else
            draft_.look_again(other->since + gate_age_);
    }

    // -- loads and swaps under the lease

    void decide_desk() {
        auto other = first_other();
        if (!other) return decide_preload();
        if (!other->call) return make_way_for_stranger(*other);
        if (state_.desk.lease == LeasePhase::kNone)
            return draft_.want(QueueForDesk{}, {.reason = Reason::kDemand, .who = other->who()});
        if (state_.desk.lease == LeasePhase::kHeld) load_or_make_room(*other);
    }

    void load_or_make_room(const Other& other) {
        const ModelName& model = other.call->model;
        if (!is_budget_known(policy(), seen_)) return;  // each look at the machine is a new chance
        Bytes need = spec_of(model)->need.device;
        Bytes free = desk_budget(policy(), seen_) - held_by_workers(state_).device;
        if (is_present(state_, model)) return;  // it is leaving and still has calls running
        if (anybody_moving()) return;           // one load or unload at a time; its end is an event
        if (need <= free)
            load_when_probe_agrees(model, need, {Reason::kDemand, need.value, free.value});
        else if (std::vector<ModelName> idle = idle_on_desk(); !keeps_any(idle, other))
            make_room({Reason::kMakeRoom, need.value, free.value, model.value}, need - free, idle);
    }

    // -- patience: when an idle model is not swapped out yet

    // A run that is in a tool call comes back soon, and runs of one tick do not start in the same
    // instant. Neither counts against somebody interactive, or against who has waited gate_age.
    Millis patience_with(const ModelName& idle, const Other& other) const {
        if (state_.desk.gate) return {};  // nobody whom it would be kept for may use it
        bool is_urgent = other.call && other.call->priority == Priority::kInteractive;
        if (policy().queue == QueuePolicy::kFifo || is_urgent) return {};
        const ModelName next = other.call ? other.call->model : ModelName{};
        Instant until = other.since + hold_of(state_, next);
        if (runs_in_tool_call(state_, idle) > 0)
            until =
                std::max(until, state_.workers.at(idle).idle_since + linger_of(state_, idle, next));
        return std::min(until, other.since + gate_age_) - seen_.now;
    }
    bool keeps_any(const std::vector<ModelName>& idle, const Other& other) {
        Millis longest;
        for (const ModelName& model : idle)
            longest = std::max(longest, patience_with(model, other));
        if (longest > Millis{}) draft_.look_again(seen_.now + longest);
        return longest > Millis{};
    }

    // -- a model that is loaded before its agents start, when nobody needs the desk

    void decide_preload() {
        if (!lines_.empty() || state_.desk.gate) return;  // somebody is served, or is about to be
        auto next = next_preload(state_, seen_.wall);
        if (!next || anybody_moving() || state_.desk.stranger_since) return;
        if (seen_.wall < next->load_at()) return draft_.look_again(next->load_at());
        if (state_.desk.lease == LeasePhase::kNone)
            return draft_.want(QueueForDesk{}, preload_why(*next));
        if (state_.desk.lease != LeasePhase::kHeld || !is_budget_known(policy(), seen_)) return;
        Bytes need = spec_of(next->model)->need.device;
        Bytes free = desk_budget(policy(), seen_) - held_by_workers(state_).device;
        if (need <= free) return load_when_probe_agrees(next->model, need, preload_why(*next));
        std::vector<ModelName> idle = idle_on_desk();
        std::erase_if(idle, [&](const ModelName& m) { return runs_in_tool_call(state_, m) > 0; });
        make_room(preload_why(*next), need - free, idle);
    }
    static Why preload_why(const Preload& next) {
        return {Reason::kPreload, next.lead.value, next.start.ms,
                next.model.value + "'s next agent"};
    }
    bool anybody_moving() const {
        return std::any_of(state_.workers.begin(), state_.workers.end(), [](const auto& entry) {
            const Worker& w = entry.second;
            return is_on_desk(w) &&
                   (w.phase == WorkerPhase::kLoading || w.phase == WorkerPhase::kUnloading);
        });
    }
    // The ledger has room. A probe that sees less is given time, since drivers free memory late;
    // then the ledger decides, and a load that fails after all is a failed load and no freeze.
    void load_when_probe_agrees(const ModelName& model, Bytes need, Why why) {
        bool probe_agrees = !seen_.device_free || *seen_.device_free >= need;
        Instant patience = std::max(state_.desk.freed_at, state_.desk.since) + kProbeLagMax;
        if (!probe_agrees && seen_.now < patience)
            return draft_.look_again(seen_.now + kProbeAgain);
        draft_.want(LoadModel{model}, std::move(why));
    }

    // Ready, with no call running and none that may still start.
    bool is_idle(const ModelName& model, const Worker& worker) const {
        if (worker.phase != WorkerPhase::kReady) return false;
        auto line = lines_.find(model);
        if (line == lines_.end()) return true;
        bool may_start = !is_leaving(model, worker) &&
                         std::any_of(line->second.waiting.begin(), line->second.waiting.end(),
                                     [&](const Call* c) { return passes_gate(worker, *c); });
        return line->second.running == 0 && !may_start;
    }
    // Longest idle first.
    std::vector<ModelName> idle_on_desk() const {
        std::vector<std::pair<Instant, ModelName>> idle;
        for (const auto& [model, worker] : state_.workers)
            if (is_on_desk(worker) && is_idle(model, worker))
                idle.emplace_back(worker.idle_since, model);
        std::sort(idle.begin(), idle.end());
        std::vector<ModelName> names;
        for (auto& [since, model] : idle) names.push_back(std::move(model));
        return names;
    }
    // Unloads idle models, in their order, if that frees enough; half a swap helps nobody.
    void make_room(const Why& why, Bytes missing, const std::vector<ModelName>& idle) {
        Bytes freed;
        size_t count = 0;
        while (count < idle.size() && freed < missing)
            freed += state_.workers.at(idle[count++]).held.device;
        if (freed < missing) return;
        for (size_t i = 0; i < count; ++i) unload(idle[i], why);
    }
    void unload(const ModelName& model, const Why& why) {
        if (!draft_.wants(UnloadModel{model})) draft_.want(UnloadModel{model}, why);
    }

    // -- another program waits for the desk, and has waited longer than any call of ours

    void make_way_for_stranger(const Other& stranger) {
        if (state_.desk.lease != LeasePhase::kHeld) return;
        std::vector<ModelName> idle = idle_on_desk();
        if (keeps_any(idle, stranger)) return;
        Why why{Reason::kStrangerWaits, gate_age_.value, (seen_.now - stranger.since).value};
        bool empty = std::none_of(state_.workers.begin(), state_.workers.end(),
                                  [](const auto& entry) { return is_on_desk(entry.second); });
        for (const ModelName& model : idle) unload(model, why);
        if (empty && !draft_.wants(ReleaseDesk{})) draft_.want(ReleaseDesk{}, why);
    }

    const State& state_;
    const Snapshot& seen_;
    Draft& draft_;
    Millis gate_age_;
    ServiceOrder order_;
    std::map<ModelName, Line> lines_;  // each in the order of service
    std::set<ModelName> backing_off_;  // not to be loaded before their retry_at
};

}  // namespace

void decide_calls(const State& state, const Snapshot& seen, Draft& draft) {
    Scheduler(state, seen, draft).decide();
}

}  // namespace hotdesk
