// SPDX-License-Identifier: MIT
// Folds facts into State. Nothing here chooses: each function writes down what an event says, and
// an event about something unknown changes nothing, because both sides of every race are legal.

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "core/fleet.h"
#include "core/limits.h"
#include "core/step.h"

namespace hotdesk {
namespace {

template <class Map, class Key>
auto* find(Map& map, const Key& key) {
    auto it = map.find(key);
    return it == map.end() ? nullptr : &it->second;
}

// ---- agents and their firings ------------------------------------------------------------------

void forget_due(State& s, const AgentName& name, const AgentState& agent) {
    const AgentSpec* spec = find(s.fleet.agents, name);
    if (agent.next_due && spec)
        s.due.erase({start_of(s.fleet.policy, *spec, agent, *agent.next_due), name});
}

// Requires: the agent is in the fleet. The firing after `after` becomes the next one.
void schedule_after(State& s, const AgentName& name, Wall after) {
    AgentState& agent = s.agents[name];
    const AgentSpec& spec = s.fleet.agents.at(name);
    forget_due(s, name, agent);
    agent.next_due = next_firing(spec.schedule, spec.zone, after);
    if (agent.next_due)
        s.due.insert({start_of(s.fleet.policy, spec, agent, *agent.next_due), name});
}

// Gives each agent its share of the stagger window: the agents of one model after those of the
// other, so that a tick needs each model once.
void spread(State& s) {
    std::set<ModelName> on_desk;
    for (const auto& [name, agent] : s.agents) {
        const ModelSpec* model = find(s.fleet.models, agent.home);
        if (model && model->placement == Placement::kDesk) on_desk.insert(agent.home);
    }
    for (auto& [name, agent] : s.agents) {
        auto place = on_desk.find(agent.home);
        int rank = static_cast<int>(std::distance(on_desk.begin(), place));
        bool phased = place != on_desk.end();
        agent.share =
            share_of(name, phased ? rank : 0, phased ? static_cast<int>(on_desk.size()) : 1);
    }
}

// Keeps `pending` right after `held` or `asked` of the agent has changed.
void note_pending(State& s, const AgentName& name, const AgentState& agent) {
    if (agent.held.empty() && agent.asked.empty())
        s.pending.erase(name);
    else
        s.pending.insert(name);
}

void consume_firing(State& s, const AgentName& name, Wall due) {
    AgentState* agent = find(s.agents, name);
    if (!agent || !s.fleet.agents.contains(name)) return;
    agent->last_due = std::max(agent->last_due.value_or(due), due);
    if (std::erase(agent->held, due) == 0) schedule_after(s, name, due);
    note_pending(s, name, *agent);
}

bool same_times(const AgentSpec& a, const AgentSpec& b) {
    return a.schedule == b.schedule && a.zone == b.zone;
}

// ---- waiting time of runs ----------------------------------------------------------------------

void begin_waiting(State& s, RunId id, Instant now) {
    Run* run = find(s.runs, id);
    if (run && run->calls_waiting++ == 0) run->waiting_since = now;
}

void end_waiting(State& s, RunId id, Instant now) {
    Run* run = find(s.runs, id);
    if (!run || run->calls_waiting == 0) return;
    if (--run->calls_waiting == 0) run->waited += now - run->waiting_since;
}

// A run that holds the desk itself waits for it inside its process, under `hotdesk lease run`,
// which ends it in time; ours is for a runner that does not.
Millis process_timeout(const Policy& policy, const AgentSpec& spec) {
    if (spec.gpu == GpuUse::kCall) return spec.timeout;
    return spec.wait + spec.timeout + policy.kill_grace * 2;
}

bool is_waiting(const Call& call) {
    return call.phase == CallPhase::kArrived || call.phase == CallPhase::kWaiting;
}

// ---- calls -------------------------------------------------------------------------------------

int running_calls(const State& s, const ModelName& model) {
    return static_cast<int>(std::count_if(s.calls.begin(), s.calls.end(), [&](const auto& entry) {
        return entry.second.model == model && entry.second.phase == CallPhase::kRunning;
    }));
}

// The call leaves its slot or its place in the line.
void leave(State& s, Call& call, CallPhase next, Instant now) {
    bool was_running = call.phase == CallPhase::kRunning, was_waiting = is_waiting(call);
    if (was_waiting) {
        end_waiting(s, call.run, now);
        call.waited = now - call.arrived;
    }
    if (was_running) call.ran = now - call.started;
    Run* run = find(s.runs, call.run);
    if (run && (was_waiting || was_running) && next != CallPhase::kRunning) --run->calls_open;
    call.phase = next;
    Worker* worker = find(s.workers, call.model);
    if (was_running && worker && running_calls(s, call.model) == 0) worker->idle_since = now;
}

// An answer came: what the next estimates and the run's next call may rely on.
void learn_from(State& s, const Call& call) {
    if (Run* run = find(s.runs, call.run)) run->served_by = call.model;
    Worker* worker = find(s.workers, call.model);
    if (!worker) return;
    worker->answers = std::min(worker->answers + 1, kAnswersMax);
    worker->answer_time += (call.ran - worker->answer_time) / worker->answers;
}

void end_call(State& s, CallId id, CallOutcome outcome, Instant now) {
    Call* call = find(s.calls, id);
    if (!call || call->phase == CallPhase::kEnded) return;
    leave(s, *call, CallPhase::kEnded, now);
    call->outcome = outcome;
}

// The worker of a running call died. Nothing sent yet: back to its old place in the line, once.
void lose_or_retry(State& s, Call& call, const Error& error, Instant now) {
    call.error = error.message;
    if (call.streaming || call.attempts >= kCallAttemptsMax) {
        leave(s, call, CallPhase::kLost, now);
        return;
    }
    call.phase = CallPhase::kWaiting;
    begin_waiting(s, call.run, now);
}

// ---- workers -----------------------------------------------------------------------------------

Millis backoff_after(int failures) {
    if (failures <= 1) return {};
    Millis wait = kLoadBackoffFirst;
    for (int i = 2; i < failures && wait < kLoadBackoffMax; ++i) wait = wait * 2;
    return std::min(wait, kLoadBackoffMax);
}

void set_phase(Worker& worker, WorkerPhase phase, Instant now) {
    worker.phase = phase;
    worker.since = now;
}

// ---- one fold for each event -------------------------------------------------------------------

struct Fold {
    State& s;
    Instant now;

    void operator()(const Configured& e) {
        const Fleet before = std::move(s.fleet);
        s.fleet = e.fleet;
        std::erase_if(s.agents, [&](const auto& a) { return !s.fleet.agents.contains(a.first); });
        std::erase_if(s.pending, [&](const auto& name) { return !s.agents.contains(name); });
        s.due.clear();
        for (const auto& [name, spec] : s.fleet.agents) {
            AgentState& agent = s.agents[name];
            agent.next_due.reset();
            agent.home = home_of(s.fleet, spec);
        }
        spread(s);
        for (const auto& [name, spec] : s.fleet.agents) {
            AgentState& agent = s.agents[name];
            auto old = before.agents.find(name);
            bool changed = old != before.agents.end() && !same_times(old->second, spec);
            const Wall believed = e.wall + kSetBackMax;
            if (!agent.last_due || *agent.last_due > believed) agent.last_due = e.wall;
            Wall latest = agent.held.empty() ? *agent.last_due : agent.held.back();
            latest = std::max(latest > believed ? e.wall : latest, *agent.last_due);
            // A new schedule begins now, and so it does at the next reload; but no firing runs
            // again when the clock was set back.
            if (changed) agent.last_due = latest = std::max(latest, e.wall);
            schedule_after(s, name, latest);
        }
        for (const auto& [id, run] : s.runs)  // an agent may come back while it still runs
            if (AgentState* agent = find(s.agents, run.agent);
                agent && run.phase != RunPhase::kEnded)
                agent->run = id;
        for (const auto& [name, spec] : s.fleet.models) s.workers[name];
    }
    void operator()(const Recovered& e) {
        for (const auto& [name, due] : e.last_due) s.agents[name].last_due = due;
        s.next_run = std::max(s.next_run, e.next_run);
    }

    void operator()(const RunStarted& e) {
        Run* run = find(s.runs, e.run);
        if (!run || run->phase != RunPhase::kStarting) return;
        run->phase = RunPhase::kRunning;
        run->started = run->phase_since = now;
    }
    void operator()(const RunEnded& e) {
        Run* run = find(s.runs, e.run);
        if (!run || run->phase == RunPhase::kEnded) return;
        run->phase = RunPhase::kEnded;
        run->phase_since = now;
        AgentState* agent = find(s.agents, run->agent);
        if (agent && agent->run == e.run) agent->run = {};
        run->exit_code = e.exit_code;
        run->error = e.error;
        if (run->calls_waiting > 0) run->waited += now - run->waiting_since;
        run->calls_waiting = 0;
    }

    void operator()(const CallArrived& e) {
        Call call{.id = e.call, .run = e.run, .agent = e.agent, .wanted = e.wanted};
        call.priority = e.priority;
        call.size = e.size;
        call.arrived = now;
        call.deadline = now + e.wait;
        if (!s.calls.emplace(e.call, std::move(call)).second) return;
        begin_waiting(s, e.run, now);
        if (Run* run = find(s.runs, e.run)) ++run->calls_open;
    }
    void operator()(const CallStreaming& e) {
        if (Call* call = find(s.calls, e.call)) call->streaming = true;
    }
    void operator()(const CallGone& e) { end_call(s, e.call, CallOutcome::kCancelled, now); }
    void operator()(const CallFinished& e) {
        Call* call = find(s.calls, e.call);
        if (!call || call->phase == CallPhase::kEnded) return;
        call->prompt = e.prompt;
        call->cached = e.cached;
        call->completion = e.completion;
        end_call(s, e.call, CallOutcome::kDone, now);
        learn_from(s, *call);
    }
    void operator()(const CallBroken& e) {
        Call* call = find(s.calls, e.call);
        if (!call || call->phase == CallPhase::kEnded) return;
        call->error = e.error.message;
        end_call(s, e.call, CallOutcome::kFailed, now);
    }

    void operator()(const WorkerLoading& e) {
        if (Worker* worker = find(s.workers, e.model)) worker->permille = e.permille;
    }
    void operator()(const WorkerReady& e) {
        Worker* worker = find(s.workers, e.model);
        if (!worker || worker->phase != WorkerPhase::kLoading) return;
        worker->load_time = std::max(now - worker->since, Millis{1});
        set_phase(*worker, WorkerPhase::kReady, now);
        worker->idle_since = now;
        worker->failures = 0;
        worker->permille = 1000;
        worker->held = e.held;
    }
    void operator()(const WorkerGone& e) {
        Worker* worker = find(s.workers, e.model);
        if (!worker || worker->phase == WorkerPhase::kAbsent) return;
        bool was_loading = worker->phase == WorkerPhase::kLoading;
        if (was_loading) worker->retry_at = now + backoff_after(++worker->failures);
        worker->last_error = e.error;
        set_phase(*worker, WorkerPhase::kAbsent, now);
        worker->held = {};
        worker->permille = 0;
        worker->killing = worker->evict_wanted = false;
        s.desk.freed_at = now;
        for (auto& [id, call] : s.calls)
            if (call.model == e.model && call.phase == CallPhase::kRunning)
                lose_or_retry(s, call, e.error, now);
    }

    void operator()(const DeskGranted&) {
        if (s.desk.lease != LeasePhase::kQueued) return;
        s.desk.lease = LeasePhase::kHeld;
        s.desk.since = now;
        s.desk.taken_by.clear();
    }
    void operator()(const DeskTaken& e) {
        if (s.desk.lease == LeasePhase::kQueued) s.desk.taken_by = e.by;
    }
    void operator()(const StrangerWaits& e) {
        if (!e.waits)
            s.desk.stranger_since.reset();
        else if (s.desk.lease == LeasePhase::kNone)
            return;  // old news: the desk has been given back, and nobody is behind us
        else if (!s.desk.stranger_since)
            s.desk.stranger_since = now;
    }

    void operator()(const RunWanted& e) {
        AgentState* agent = find(s.agents, e.agent);
        if (!agent) return;
        // An id that is taken already is none: ids are given once.
        const RunId run = e.run >= s.next_run ? e.run : RunId{};
        if (run) s.next_run = {run.value + 1};
        agent->asked.push_back({run, e.wall});
        s.pending.insert(e.agent);
    }
    void operator()(const RunUnwanted& e) {
        if (Run* run = find(s.runs, e.run)) run->unwanted = true;
    }
    void operator()(const PauseWanted& e) {
        if (e.agent.empty())
            s.paused = e.paused;
        else if (AgentState* agent = find(s.agents, e.agent))
            agent->paused = e.paused;
    }
    void operator()(const EvictWanted& e) {
        Worker* worker = find(s.workers, e.model);
        if (worker && worker->phase == WorkerPhase::kReady) worker->evict_wanted = true;
    }
    void operator()(const DrainWanted&) { s.draining = true; }

    void operator()(const Checkpoint& e) { s = e.state; }
    void operator()(const Intended& e) {
        std::visit([&](const auto& action) { begin(action, e.decision.why); }, e.decision.action);
    }

    // ---- work under way ------------------------------------------------------------------------

    void begin(const StartRun& a, const Why&) {
        Run run{.id = a.run, .agent = a.agent, .due = a.due, .trigger = a.trigger};
        run.started = run.phase_since = now;
        if (const AgentSpec* spec = find(s.fleet.agents, a.agent))
            run.timeout = process_timeout(s.fleet.policy, *spec);
        s.runs.emplace(a.run, run);
        s.next_run = std::max(s.next_run, RunId{a.run.value + 1});
        AgentState* agent = find(s.agents, a.agent);
        if (agent) agent->run = a.run;
        if (a.trigger == Trigger::kManual) {
            if (!agent) return;
            auto asked = std::find_if(
                agent->asked.begin(), agent->asked.end(),
                [&](const Asked& one) { return one.run ? one.run == a.run : one.at == a.due; });
            if (asked != agent->asked.end()) agent->asked.erase(asked);  // one run for each asking
            return note_pending(s, a.agent, *agent);
        }
        if (a.trigger == Trigger::kCatchUp) s.last_catch_up = now;
        consume_firing(s, a.agent, a.due);
    }
    void begin(const StopRun& a, const Why& why) {
        Run* run = find(s.runs, a.run);
        if (!run) return;
        run->phase = a.hard ? RunPhase::kKilling : RunPhase::kTerminating;
        run->phase_since = now;
        if (!a.hard)
            run->ends_as =
                why.reason == Reason::kRunTimeout ? Outcome::kTimedOut : Outcome::kInterrupted;
    }
    void begin(const CloseRun& a, const Why&) { s.runs.erase(a.run); }
    void begin(const SkipFirings& a, const Why&) { consume_firing(s, a.agent, a.last); }
    void begin(const HoldFiring& a, const Why&) {
        AgentState* agent = find(s.agents, a.agent);
        if (!agent) return;
        schedule_after(s, a.agent, a.due);
        agent->held.push_back(a.due);
        s.pending.insert(a.agent);
    }
    void begin(const RouteCall& a, const Why&) {
        Call* call = find(s.calls, a.call);
        if (!call || call->phase != CallPhase::kArrived) return;
        call->model = a.model;
        call->phase = CallPhase::kWaiting;
        if (AgentState* agent = find(s.agents, call->agent)) agent->home = a.model;
    }
    void begin(const StartCall& a, const Why&) {
        Call* call = find(s.calls, a.call);
        if (!call || call->phase != CallPhase::kWaiting) return;
        leave(s, *call, CallPhase::kRunning, now);
        call->started = now;
        ++call->attempts;
    }
    void begin(const CloseCall& a, const Why&) {
        if (Call* call = find(s.calls, a.call)) leave(s, *call, CallPhase::kEnded, now);
        s.calls.erase(a.call);
    }
    void begin(const SetGate& a, const Why&) {
        s.desk.gate = a.through;
        s.desk.gate_since = now;
    }
    void begin(const QueueForDesk&, const Why&) {
        s.desk.lease = LeasePhase::kQueued;
        s.desk.since = now;
    }
    void begin(const ReleaseDesk&, const Why&) {
        s.desk = {.lease = LeasePhase::kNone,
                  .since = now,
                  .preloaded_for = s.desk.preloaded_for,
                  .freed_at = s.desk.freed_at};
    }
    void begin(const LoadModel& a, const Why& why) {
        if (why.reason == Reason::kPreload) s.desk.preloaded_for = Wall{why.have};
        Worker& worker = s.workers[a.model];
        worker.spec = s.fleet.models.at(a.model);
        worker.held = worker.spec.need;
        set_phase(worker, WorkerPhase::kLoading, now);
        ++worker.loads;
        if (worker.spec.placement == Placement::kDesk) s.desk.gate = {};
    }
    void begin(const UnloadModel& a, const Why&) {
        Worker* worker = find(s.workers, a.model);
        if (!worker || worker->phase == WorkerPhase::kAbsent) return;
        set_phase(*worker, WorkerPhase::kUnloading, now);
        worker->killing = a.hard;
    }
};

}  // namespace

void apply(State& state, Instant now, const Event& event) {
    std::visit(Fold{state, now}, event);
}

}  // namespace hotdesk
