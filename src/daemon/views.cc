// SPDX-License-Identifier: MIT
#include "daemon/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/version.h"
#include "core/line.h"
#include "core/router.h"
#include "daemon/gateway_place.h"
#include "daemon/iso_time.h"
#include "daemon/views_words.h"

namespace hotdesk::views {
namespace {

using Json = nlohmann::json;

// A monotonic instant as wall time, by the clocks of the snapshot.
Wall to_wall(const Moment& moment, Instant at) {
    return moment.seen.wall + (at - moment.seen.now);
}

Json id_or_null(std::string text, bool is_set) {
    return is_set ? Json(std::move(text)) : Json();
}
Json bytes_or_null(const std::optional<Bytes>& bytes) {
    return bytes ? Json(bytes->value) : Json();
}

const ModelSpec* spec_of(const State& state, const ModelName& model) {
    const auto found = state.fleet.models.find(model);
    return found == state.fleet.models.end() ? nullptr : &found->second;
}

const Worker* worker_of(const State& state, const ModelName& model) {
    const auto found = state.workers.find(model);
    return found == state.workers.end() ? nullptr : &found->second;
}

bool is_waiting(const Call& call) {
    return call.phase == CallPhase::kArrived || call.phase == CallPhase::kWaiting;
}

// ---- what a call waits for ---------------------------------------------------------------------

// The agents whose calls run on a model: "inbox, report and 2 more".
std::string who_runs(const State& state, const ModelName& model) {
    std::vector<std::string> names;
    for (const auto& [id, call] : state.calls)
        if (call.phase == CallPhase::kRunning && call.model == model)
            names.push_back(call.agent.empty() ? call_id(id) : call.agent.value);
    if (names.empty()) return "nobody";
    if (names.size() == 1) return names[0];
    if (names.size() == 2) return fmt::format("{} and {}", names[0], names[1]);
    return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
}

// The loaded or moving models that have the room this one needs.
std::string who_has_the_room(const State& state, const ModelSpec& wanted) {
    std::string text;
    for (const auto& [name, worker] : state.workers) {
        const bool in_the_way = worker.phase != WorkerPhase::kAbsent && name != wanted.name &&
                                worker.spec.placement == wanted.placement;
        if (!in_the_way) continue;
        if (!text.empty()) text += ", ";
        text += fmt::format("{} has {} ({})", name.value,
                            format_bytes(wanted.placement == Placement::kDesk ? worker.held.device
                                                                              : worker.held.host),
                            who_runs(state, name));
    }
    return text.empty() ? "memory to become free" : text;
}

Waiting waiting_on_loaded(const State& state, const Call& call, const Worker& worker) {
    const bool gated =
        worker.spec.placement == Placement::kDesk && state.desk.gate && call.id > state.desk.gate;
    if (gated)
        return {"gate",
                fmt::format("another model's turn: calls after {} wait", call_id(state.desk.gate))};
    return {"slots",
            fmt::format("a slot of {}; {} has it", call.model.value, who_runs(state, call.model))};
}

Waiting waiting_for_load(const State& state, const Call& call, const Worker& worker, Instant now) {
    const ModelSpec* spec = spec_of(state, call.model);
    if (spec == nullptr)
        return {"routing", "a model: the config no longer has " + call.model.value};
    if (worker.failures > 0 && now < worker.retry_at)
        return {"backoff", fmt::format("the next try to load {} in {}", call.model.value,
                                       format_duration(worker.retry_at - now))};
    if (spec->placement == Placement::kDesk && state.desk.lease != LeasePhase::kHeld)
        return {"lease", fmt::format("the lease on {}: {}", state.fleet.desk.value,
                                     who_has_the_desk(state.desk))};
    return {"room",
            fmt::format("room for {}: {}", call.model.value, who_has_the_room(state, *spec))};
}

// ---- parts of the objects ----------------------------------------------------------------------

int count_calls(const State& state, CallPhase phase) {
    return static_cast<int>(
        std::count_if(state.calls.begin(), state.calls.end(),
                      [&](const auto& entry) { return entry.second.phase == phase; }));
}

Millis oldest_wait(const Moment& moment) {
    for (const auto& [id, call] : moment.state.calls)  // in the order of arrival
        if (is_waiting(call)) return moment.seen.now - call.arrived;
    return {};
}

int64_t alive_runs(const State& state) {
    return std::count_if(state.runs.begin(), state.runs.end(),
                         [](const auto& entry) { return entry.second.phase != RunPhase::kEnded; });
}

// The newest call of a run that waits, for "waits_for".
const Call* waiting_call(const State& state, RunId run) {
    for (const auto& [id, call] : state.calls)
        if (call.run == run && is_waiting(call)) return &call;
    return nullptr;
}

Millis waited_so_far(const Run& run, Instant now) {
    return run.calls_waiting > 0 ? run.waited + (now - run.waiting_since) : run.waited;
}

Json live_run(const Moment& moment, const Run& run) {
    const Instant now = moment.seen.now;
    const Millis waited = waited_so_far(run, now);
    Json out{{"id", run_id(run.id)},
             {"agent", run.agent.value},
             {"phase", word(run.phase)},
             {"trigger", to_string(run.trigger)},
             {"ran_ms", (now - run.started - waited).value},
             {"waited_ms", waited.value},
             {"timeout_ms", run.timeout.value},
             {"calls_waiting", run.calls_waiting}};
    put_time(out, "due", run.due);
    put_time(out, "started", to_wall(moment, run.started));
    const Call* call = waiting_call(moment.state, run.id);
    out["waits_for"] = call == nullptr ? Json() : Json(waiting_for(moment.state, *call, now).text);
    return out;
}

Json millis_or_null(const std::optional<Millis>& time) {
    return time ? Json(time->value) : Json();
}

Json queued_call(const Moment& moment, const Call& call, const Place& place) {
    const Instant now = moment.seen.now;
    const bool running = call.phase == CallPhase::kRunning;
    const Waiting waits = waiting_for(moment.state, call, now);
    return {{"place", running ? Json() : Json(place.position)},
            {"of", running ? Json() : Json(place.of)},
            {"call", call_id(call.id)},
            {"run", id_or_null(run_id(call.run), bool(call.run))},
            {"agent", call.agent.value},
            {"wanted", call.wanted},
            {"model", id_or_null(call.model.value, !call.model.empty())},
            {"state", word(call.phase)},
            {"waited_ms", running ? call.waited.value : (now - call.arrived).value},
            {"about_ms", millis_or_null(place.about)},
            {"latest_ms", millis_or_null(place.latest)},
            {"wait_left_ms", running ? Json() : Json((call.deadline - now).value)},
            {"ran_ms", running ? (now - call.started).value : 0},
            {"attempts", call.attempts},
            {"why", id_or_null(std::string(waits.key), !waits.key.empty())},
            {"waits_for", id_or_null(waits.text, !waits.key.empty())}};
}

Json last_run_of(const AgentName& agent, const LastRuns& last_runs) {
    const auto found = last_runs.find(agent);
    if (found == last_runs.end()) return nullptr;
    const RunRecord& run = found->second;
    Json out{{"id", run_id(run.id)},
             {"outcome", run.outcome ? Json(to_string(*run.outcome)) : Json()},
             {"exit_code", run.exit_code}};
    put_time(out, "ended", run.ended);
    return out;
}

Json agent(const Moment& moment, const AgentSpec& spec, const LastRuns& last_runs) {
    const auto found = moment.state.agents.find(spec.name);
    const AgentState state = found == moment.state.agents.end() ? AgentState{} : found->second;
    Json running = Json::array();
    for (const auto& [id, run] : moment.state.runs)
        if (run.agent == spec.name && run.phase != RunPhase::kEnded) running.push_back(run_id(id));
    Json out{{"name", spec.name.value},
             {"schedule", spec.schedule.text},
             {"zone", spec.zone->name},
             {"task", spec.task},
             {"paused", spec.paused || state.paused || moment.state.paused},
             {"running", std::move(running)},
             {"held", state.held.size() + state.asked.size()},
             {"wait_ms", spec.wait.value},
             {"timeout_ms", spec.timeout.value},
             {"gpu", spec.gpu == GpuUse::kCall ? "call" : "run"},
             {"privacy", spec.privacy == Privacy::kLocal ? "local" : "any"},
             {"last_run", last_run_of(spec.name, last_runs)}};
    put_time(out, "next_due", state.next_due);
    put_time(out, "last_due", state.last_due);
    return out;
}

// How its line stands.
Json line_counts(const std::map<ModelName, Line>& lines, const ModelName& model) {
    const auto found = lines.find(model);
    if (found == lines.end()) return {{"running", 0}, {"waiting", 0}};
    return {{"running", found->second.running}, {"waiting", found->second.waiting.size()}};
}

Json model(const Moment& moment, const ModelSpec& spec) {
    static const Worker kNone;
    const Worker* known = worker_of(moment.state, spec.name);
    const Worker& worker = known == nullptr ? kNone : *known;
    const bool present = worker.phase != WorkerPhase::kAbsent;
    Json out{
        {"name", spec.name.value},
        {"path", spec.path},
        {"aliases", spec.aliases},
        {"placement", word(spec.placement)},
        {"phase", word(worker.phase)},
        {"progress_permille",
         worker.phase == WorkerPhase::kLoading ? Json(worker.permille) : Json()},
        {"context_tokens", spec.context.value},
        {"slots", spec.slots},
        {"device_bytes_needed", spec.need.device.value},
        {"host_bytes_needed", spec.need.host.value},
        {"device_bytes_held", worker.held.device.value},
        {"host_bytes_held", worker.held.host.value},
        {"loads", worker.loads},
        {"failures", worker.failures},
        {"keep_ms", spec.pinned ? Json() : Json(spec.keep.value)},
        {"pinned", spec.pinned},
        {"unusable", id_or_null(spec.unusable, !spec.unusable.empty())},
        {"last_error", id_or_null(worker.last_error.message, !worker.last_error.message.empty())}};
    put_time(out, "since", present ? std::optional(to_wall(moment, worker.since)) : std::nullopt);
    return out;
}

void put_idle(const Moment& moment, const Worker* worker, Json& out) {
    const bool idle =
        worker != nullptr && worker->phase == WorkerPhase::kReady && out["running"] == 0;
    out["idle_ms"] = idle ? Json((moment.seen.now - worker->idle_since).value) : Json();
}

Json models_on_desk(const State& state) {
    Json names = Json::array();
    for (const auto& [name, worker] : state.workers)
        if (worker.phase != WorkerPhase::kAbsent && worker.spec.placement == Placement::kDesk)
            names.push_back(name.value);
    return names;
}

// The run that somebody asked for and that has not begun.
std::optional<hotdesk::Run> asked_run(const State& state, RunId id) {
    for (const auto& [agent, its] : state.agents)
        for (const Asked& asked : its.asked)
            if (asked.run == id)
                return hotdesk::Run{
                    .id = id, .agent = agent, .due = asked.at, .trigger = Trigger::kManual};
    return std::nullopt;
}

Reason reason_of(Trigger trigger) {
    switch (trigger) {
        case Trigger::kSchedule: return Reason::kDue;
        case Trigger::kCatchUp: return Reason::kCatchUp;
        case Trigger::kManual: return Reason::kAskedFor;
    }
    return Reason::kDue;
}

Json why_object(const Why& why) {
    return {{"reason", to_string(why.reason)},
            {"need", why.need},
            {"have", why.have},
            {"who", why.who},
            {"text", explain(why)}};
}

}  // namespace

Waiting waiting_for(const State& state, const Call& call, Instant now) {
    if (!is_waiting(call)) return {};
    if (call.phase == CallPhase::kArrived) return {"routing", "a model to be chosen"};
    const Worker* worker = worker_of(state, call.model);
    if (worker == nullptr) return waiting_for_load(state, call, {}, now);
    switch (worker->phase) {
        case WorkerPhase::kAbsent: return waiting_for_load(state, call, *worker, now);
        case WorkerPhase::kLoading:
            return {"loading",
                    fmt::format("{} to load, {} % done", call.model.value, worker->permille / 10)};
        case WorkerPhase::kUnloading:
            return {"unloading", call.model.value + " to be unloaded and loaded again"};
        case WorkerPhase::kReady: return waiting_on_loaded(state, call, *worker);
    }
    return {};
}

Json status(const Moment& moment) {
    const State& state = moment.state;
    Json out{{"schema", kSchema},
             {"version", version()},
             {"paused", state.paused},
             {"draining", state.draining},
             {"agents", state.fleet.agents.size()},
             {"models", state.fleet.models.size()},
             {"runs_alive", alive_runs(state)},
             {"calls_waiting",
              count_calls(state, CallPhase::kArrived) + count_calls(state, CallPhase::kWaiting)},
             {"calls_running", count_calls(state, CallPhase::kRunning)},
             {"oldest_wait_ms", oldest_wait(moment).value},
             {"desk", state.fleet.desk.value},
             {"lease", word(state.desk.lease)},
             {"models_on_desk", models_on_desk(state)}};
    put_time(out, "now", moment.seen.wall);
    return out;
}

Json agents(const Moment& moment, const LastRuns& last_runs) {
    Json list = Json::array();
    for (const auto& [name, spec] : moment.state.fleet.agents)
        list.push_back(agent(moment, spec, last_runs));
    return {{"schema", kSchema}, {"agents", std::move(list)}};
}

Json live_runs(const Moment& moment) {
    Json list = Json::array();
    for (const auto& [id, run] : moment.state.runs)
        if (run.phase != RunPhase::kEnded) list.push_back(live_run(moment, run));
    return {{"schema", kSchema}, {"runs", std::move(list)}};
}

// A place is counted in the line of the call's model; a running call has none.
Json queue(const Moment& moment) {
    Json list = Json::array();
    const auto places_now = places(moment.state, moment.seen.now);
    for (const auto& [id, call] : moment.state.calls) {
        const auto place = places_now.find(id);
        if (place == places_now.end() && call.phase != CallPhase::kRunning) continue;
        list.push_back(
            queued_call(moment, call, place == places_now.end() ? Place{} : place->second));
    }
    return {{"schema", kSchema}, {"calls", std::move(list)}};
}

Json ps(const Moment& moment) {
    Json out = live_runs(moment);
    out["calls"] = queue(moment)["calls"];
    return out;
}

Json desks(const Moment& moment) {
    const State& state = moment.state;
    const Bytes budget = desk_budget(state.fleet.policy, moment.seen);
    const Bytes held = held_by_workers(state).device;
    Json desk{{"name", state.fleet.desk.value},
              {"lease", word(state.desk.lease)},
              {"budget_bytes", budget.value},
              {"held_bytes", held.value},
              {"free_bytes", (budget - held).value},
              {"device_bytes_total", bytes_or_null(moment.seen.device_total)},
              {"device_bytes_free", bytes_or_null(moment.seen.device_free)},
              {"models", models_on_desk(state)},
              {"gate", id_or_null(call_id(state.desk.gate), bool(state.desk.gate))},
              {"stranger_waits_ms", state.desk.stranger_since
                                        ? Json((moment.seen.now - *state.desk.stranger_since).value)
                                        : Json()}};
    const bool has_since = state.desk.lease != LeasePhase::kNone;
    put_time(desk, "since",
             has_since ? std::optional(to_wall(moment, state.desk.since)) : std::nullopt);
    return {{"schema", kSchema}, {"desks", Json::array({std::move(desk)})}};
}

Json models(const Moment& moment) {
    const auto lines = lines_of(moment.state);
    Json list = Json::array();
    for (const auto& [name, spec] : moment.state.fleet.models) {
        Json one = model(moment, spec);
        one.update(line_counts(lines, name));
        put_idle(moment, worker_of(moment.state, name), one);
        list.push_back(std::move(one));
    }
    return {{"schema", kSchema}, {"models", std::move(list)}};
}

std::string run_id(RunId id) {
    return fmt::format("r-{}", id.value);
}
std::string call_id(CallId id) {
    return fmt::format("c-{}", id.value);
}

Json run_record(const RunRecord& run) {
    Json out{{"id", id_or_null(run_id(run.id), bool(run.id))},
             {"agent", run.agent.value},
             {"trigger", to_string(run.trigger)},
             {"count", run.count},
             {"outcome", run.outcome ? Json(to_string(*run.outcome)) : Json()},
             {"exit_code", run.exit_code},
             {"ran_ms", run.ran.value},
             {"waited_ms", run.waited.value},
             {"why", why_object(run.why)},
             {"log", id_or_null(run.log_path, !run.log_path.empty())},
             {"calls", run.calls},
             {"prompt_tokens", run.prompt.value},
             {"cached_tokens", run.cached.value},
             {"completion_tokens", run.completion.value}};
    put_time(out, "first_due", run.first_due);
    put_time(out, "due", run.due);
    put_time(out, "started", run.started);
    put_time(out, "ended", run.ended);
    return out;
}

std::optional<Json> unrecorded_run(const State& state, RunId id) {
    const auto begun = state.runs.find(id);
    const auto run =
        begun != state.runs.end() ? std::optional(begun->second) : asked_run(state, id);
    if (!run) return std::nullopt;
    RunRecord record{.id = id, .agent = run->agent, .trigger = run->trigger};
    record.first_due = record.due = run->due;
    record.why = {.reason = reason_of(run->trigger)};
    Json out = run_record(record);
    put_time(out, "started", std::nullopt);
    out["phase"] = begun != state.runs.end() ? word(run->phase) : "asked";
    return out;
}

Json call_record(const EndedCall& call) {
    Json out{{"id", call_id(call.id)},
             {"run", id_or_null(run_id(call.run), bool(call.run))},
             {"agent", call.agent.value},
             {"model", call.model.value},
             {"outcome", to_string(call.outcome)},
             {"waited_ms", call.waited.value},
             {"ran_ms", call.ran.value},
             {"prompt_tokens", call.prompt.value},
             {"cached_tokens", call.cached.value},
             {"completion_tokens", call.completion.value},
             {"why", why_object(call.why)}};
    put_time(out, "arrived", call.arrived);
    put_time(out, "ended", call.ended);
    return out;
}

Json reason_record(const ReasonRecord& reason) {
    Json out{{"action", reason.action},
             {"run", id_or_null(run_id(reason.run), bool(reason.run))},
             {"call", id_or_null(call_id(reason.call), bool(reason.call))},
             {"agent", id_or_null(reason.agent.value, !reason.agent.empty())},
             {"model", id_or_null(reason.model.value, !reason.model.empty())},
             {"why", why_object(reason.why)}};
    put_time(out, "at", reason.at);
    return out;
}

Json model_record(const ModelRecord& change) {
    Json out{{"model", change.model.value},
             {"change", to_string(change.change)},
             {"device_bytes", change.device.value},
             {"host_bytes", change.host.value},
             {"error", id_or_null(change.error, !change.error.empty())}};
    put_time(out, "at", change.at);
    return out;
}

}  // namespace hotdesk::views
