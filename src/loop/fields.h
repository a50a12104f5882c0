// SPDX-License-Identifier: MIT
#pragma once
// The fields of every event, decision and spec, named once. A visitor reads or writes them: the
// journal uses this both ways, so what is encoded is what is decoded. A field left out here is
// caught by record_test.cc where it fills it.

#include <concepts>
#include <type_traits>

#include "core/action.h"
#include "core/event.h"
#include "core/spec.h"
#include "core/world.h"

namespace hotdesk::record {

// S is T, or const T.
template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// fields(v, s) calls v(name, member) for each field of s, in this order.

template <class V, Is<ZoneChange> S>
void fields(V& v, S& s) {
    v("from", s.from);
    v("offset", s.offset);
}
template <class V, Is<Zone> S>
void fields(V& v, S& s) {
    v("name", s.name);
    v("base", s.base);
    v("changes", s.changes);
}
template <class V, Is<Schedule> S>
void fields(V& v, S& s) {
    v("kind", s.kind);
    v("text", s.text);
    v("minutes", s.minutes);
    v("hours", s.hours);
    v("days", s.days);
    v("months", s.months);
    v("weekdays", s.weekdays);
    v("day_restricted", s.day_restricted);
    v("weekday_restricted", s.weekday_restricted);
    v("hour_is_wild", s.hour_is_wild);
    v("every", s.every);
    v("phase", s.phase);
}
template <class V, Is<Footprint> S>
void fields(V& v, S& s) {
    v("device", s.device);
    v("host", s.host);
}
template <class V, Is<ModelSpec> S>
void fields(V& v, S& s) {
    v("name", s.name);
    v("path", s.path);
    v("placement", s.placement);
    v("context", s.context);
    v("slots", s.slots);
    v("kv_type", s.kv_type);
    v("threads", s.threads);
    v("need", s.need);
    v("keep", s.keep);
    v("pinned", s.pinned);
    v("aliases", s.aliases);
    v("unusable", s.unusable);
}
template <class V, Is<AgentSpec> S>
void fields(V& v, S& s) {
    v("name", s.name);
    v("schedule", s.schedule);
    v("zone", s.zone);
    v("command", s.command);
    v("directory", s.directory);
    v("env", s.env);
    v("task", s.task);
    v("wait", s.wait);
    v("timeout", s.timeout);
    v("overlap", s.overlap);
    v("catch_up", s.catch_up);
    v("grace", s.grace);
    v("privacy", s.privacy);
    v("gpu", s.gpu);
    v("priority", s.priority);
    v("paused", s.paused);
}
template <class V, Is<Policy> S>
void fields(V& v, S& s) {
    v("runs_max", s.runs_max);
    v("stagger", s.stagger);
    v("late_after", s.late_after);
    v("waiting_max", s.waiting_max);
    v("queue", s.queue);
    v("gate_age", s.gate_age);
    v("linger", s.linger);
    v("preload", s.preload);
    v("hold", s.hold);
    v("visit_max", s.visit_max);
    v("call_max", s.call_max);
    v("device_budget", s.device_budget);
    v("device_reserve", s.device_reserve);
    v("host_reserve", s.host_reserve);
    v("kill_grace", s.kill_grace);
}
template <class V, Is<Fleet> S>
void fields(V& v, S& s) {
    v("policy", s.policy);
    v("desk", s.desk);
    v("models", s.models);
    v("agents", s.agents);
    v("tasks", s.tasks);
}
template <class V, Is<Error> S>
void fields(V& v, S& s) {
    v("code", s.code);
    v("message", s.message);
}

template <class V, Is<Configured> S>
void fields(V& v, S& s) {
    v("fleet", s.fleet);
    v("wall", s.wall);
}
template <class V, Is<Recovered> S>
void fields(V& v, S& s) {
    v("last_due", s.last_due);
    v("next_run", s.next_run);
}
template <class V, Is<RunStarted> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("pid", s.pid);
}
template <class V, Is<RunEnded> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("exit_code", s.exit_code);
    v("error", s.error);
}
template <class V, Is<CallArrived> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("run", s.run);
    v("agent", s.agent);
    v("wanted", s.wanted);
    v("wait", s.wait);
    v("priority", s.priority);
    v("size", s.size);
}
template <class V, Is<CallStreaming> S>
void fields(V& v, S& s) {
    v("call", s.call);
}
template <class V, Is<CallGone> S>
void fields(V& v, S& s) {
    v("call", s.call);
}
template <class V, Is<CallFinished> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("prompt", s.prompt);
    v("cached", s.cached);
    v("completion", s.completion);
}
template <class V, Is<CallBroken> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("error", s.error);
}
template <class V, Is<WorkerLoading> S>
void fields(V& v, S& s) {
    v("model", s.model);
    v("permille", s.permille);
}
template <class V, Is<WorkerReady> S>
void fields(V& v, S& s) {
    v("model", s.model);
    v("held", s.held);
}
template <class V, Is<WorkerGone> S>
void fields(V& v, S& s) {
    v("model", s.model);
    v("error", s.error);
    v("crashed", s.crashed);
}
template <class V, Is<DeskGranted> S>
void fields(V&, S&) {}
template <class V, Is<DeskTaken> S>
void fields(V& v, S& s) {
    v("by", s.by);
}
template <class V, Is<StrangerWaits> S>
void fields(V& v, S& s) {
    v("waits", s.waits);
}
template <class V, Is<RunWanted> S>
void fields(V& v, S& s) {
    v("agent", s.agent);
    v("wall", s.wall);
    v("run", s.run);
}
template <class V, Is<RunUnwanted> S>
void fields(V& v, S& s) {
    v("run", s.run);
}
template <class V, Is<PauseWanted> S>
void fields(V& v, S& s) {
    v("agent", s.agent);
    v("paused", s.paused);
}
template <class V, Is<EvictWanted> S>
void fields(V& v, S& s) {
    v("model", s.model);
}
template <class V, Is<DrainWanted> S>
void fields(V&, S&) {}
template <class V, Is<Intended> S>
void fields(V& v, S& s) {
    v("decision", s.decision);
}

template <class V, Is<StartRun> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("agent", s.agent);
    v("due", s.due);
    v("trigger", s.trigger);
}
template <class V, Is<StopRun> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("hard", s.hard);
}
template <class V, Is<CloseRun> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("agent", s.agent);
    v("outcome", s.outcome);
    v("exit_code", s.exit_code);
    v("ran", s.ran);
    v("waited", s.waited);
}
template <class V, Is<SkipFirings> S>
void fields(V& v, S& s) {
    v("agent", s.agent);
    v("first", s.first);
    v("last", s.last);
    v("count", s.count);
    v("outcome", s.outcome);
}
template <class V, Is<HoldFiring> S>
void fields(V& v, S& s) {
    v("agent", s.agent);
    v("due", s.due);
}
template <class V, Is<RouteCall> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("model", s.model);
}
template <class V, Is<StartCall> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("model", s.model);
}
template <class V, Is<CloseCall> S>
void fields(V& v, S& s) {
    v("call", s.call);
    v("outcome", s.outcome);
    v("code", s.code);
    v("run", s.run);
    v("agent", s.agent);
    v("model", s.model);
    v("waited", s.waited);
    v("ran", s.ran);
    v("prompt", s.prompt);
    v("cached", s.cached);
    v("completion", s.completion);
}
template <class V, Is<SetGate> S>
void fields(V& v, S& s) {
    v("through", s.through);
}
template <class V, Is<QueueForDesk> S>
void fields(V&, S&) {}
template <class V, Is<ReleaseDesk> S>
void fields(V&, S&) {}
template <class V, Is<LoadModel> S>
void fields(V& v, S& s) {
    v("model", s.model);
}
template <class V, Is<UnloadModel> S>
void fields(V& v, S& s) {
    v("model", s.model);
    v("hard", s.hard);
}

template <class V, Is<Why> S>
void fields(V& v, S& s) {
    v("reason", s.reason);
    v("need", s.need);
    v("have", s.have);
    v("who", s.who);
}
template <class V, Is<Decision> S>
void fields(V& v, S& s) {
    v("action", s.action);
    v("why", s.why);
}
template <class V, Is<Alarm> S>
void fields(V& v, S& s) {
    v("at", s.at);
    v("wall", s.wall);
}
template <class V, Is<Snapshot> S>
void fields(V& v, S& s) {
    v("now", s.now);
    v("wall", s.wall);
    v("device_total", s.device_total);
    v("device_free", s.device_free);
    v("host_total", s.host_total);
    v("host_available", s.host_available);
}

template <class V, Is<Run> S>
void fields(V& v, S& s) {
    v("id", s.id);
    v("agent", s.agent);
    v("due", s.due);
    v("trigger", s.trigger);
    v("phase", s.phase);
    v("started", s.started);
    v("phase_since", s.phase_since);
    v("timeout", s.timeout);
    v("waited", s.waited);
    v("calls_waiting", s.calls_waiting);
    v("waiting_since", s.waiting_since);
    v("calls_open", s.calls_open);
    v("served_by", s.served_by);
    v("unwanted", s.unwanted);
    v("ends_as", s.ends_as);
    v("exit_code", s.exit_code);
    v("error", s.error);
}
template <class V, Is<Call> S>
void fields(V& v, S& s) {
    v("id", s.id);
    v("run", s.run);
    v("agent", s.agent);
    v("wanted", s.wanted);
    v("priority", s.priority);
    v("size", s.size);
    v("model", s.model);
    v("phase", s.phase);
    v("arrived", s.arrived);
    v("deadline", s.deadline);
    v("started", s.started);
    v("attempts", s.attempts);
    v("streaming", s.streaming);
    v("waited", s.waited);
    v("ran", s.ran);
    v("outcome", s.outcome);
    v("prompt", s.prompt);
    v("cached", s.cached);
    v("completion", s.completion);
    v("error", s.error);
}
template <class V, Is<Worker> S>
void fields(V& v, S& s) {
    v("phase", s.phase);
    v("since", s.since);
    v("idle_since", s.idle_since);
    v("spec", s.spec);
    v("held", s.held);
    v("permille", s.permille);
    v("loads", s.loads);
    v("load_time", s.load_time);
    v("answers", s.answers);
    v("answer_time", s.answer_time);
    v("failures", s.failures);
    v("retry_at", s.retry_at);
    v("last_error", s.last_error);
    v("killing", s.killing);
    v("evict_wanted", s.evict_wanted);
}
template <class V, Is<Asked> S>
void fields(V& v, S& s) {
    v("run", s.run);
    v("at", s.at);
}
template <class V, Is<AgentState> S>
void fields(V& v, S& s) {
    v("last_due", s.last_due);
    v("next_due", s.next_due);
    v("held", s.held);
    v("asked", s.asked);
    v("run", s.run);
    v("paused", s.paused);
    v("home", s.home);
    v("share", s.share);
}
template <class V, Is<Desk> S>
void fields(V& v, S& s) {
    v("lease", s.lease);
    v("since", s.since);
    v("taken_by", s.taken_by);
    v("stranger_since", s.stranger_since);
    v("gate", s.gate);
    v("gate_since", s.gate_since);
    v("preloaded_for", s.preloaded_for);
    v("freed_at", s.freed_at);
}
template <class V, Is<State> S>
void fields(V& v, S& s) {
    v("fleet", s.fleet);
    v("agents", s.agents);
    v("pending", s.pending);
    v("due", s.due);
    v("runs", s.runs);
    v("calls", s.calls);
    v("workers", s.workers);
    v("desk", s.desk);
    v("next_run", s.next_run);
    v("last_catch_up", s.last_catch_up);
    v("paused", s.paused);
    v("draining", s.draining);
}
template <class V, Is<Checkpoint> S>
void fields(V& v, S& s) {
    v("state", s.state);
}

}  // namespace hotdesk::record
