// SPDX-License-Identifier: MIT
#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "core/limits.h"
#include "loop/loop.h"

namespace hotdesk::sim {

namespace {

// So that the first instant of a recorded day has firings, and what begins in it has an end.
constexpr Millis kBeforeTheDay = minutes(1), kAfterTheDay = hours(1);

// The hours of the day are those of the agents, who mostly share a zone.
Zone zone_of(const Fleet& fleet) {
    return fleet.agents.empty() ? Zone{} : *fleet.agents.begin()->second.zone;
}

// Chance of its own for each firing: an agent does the same work whatever the policy and the other
// agents do, so that two days differ only in what was changed.
Random chance_of(uint64_t seed, const AgentName& agent, Wall due) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (char c : agent.value) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return Random(Random(seed ^ hash).next() ^ static_cast<uint64_t>(due.ms));
}

}  // namespace

World::World(Options options)
    : options_(std::move(options)),
      stage_{Timeline(options_.start), Random(options_.seed), options_.faults, {}},
      machine_(stage_, options_.hardware),
      workers_(stage_, machine_, options_.hardware, zone_of(options_.fleet)),
      agents_(stage_, [this](const AgentSpec& agent, Wall due) { return work_of(agent, due); }),
      desk_(stage_),
      checkers_(options_.check_replay, options_.one_more),
      tally_([this](const AgentSpec& agent, Wall due) { return late_after(agent, due); }),
      end_(stage_.time.now() + options_.length) {
    workers_.on_answer = [this](CallId call) { agents_.answered(call); };
    agents_.on_hangup = [this](CallId call) {
        workers_.cancel(call);
        stage_.post(CallGone{call});
    };
    desk_.on_grant = [this](const DeskQueue::Ticket& ticket) {
        checkers_.granted(ticket.number, now());
    };
    plan_faults();
}

RunShape World::work_of(const AgentSpec& agent, Wall due) {
    if (options_.work) return options_.work->run(agent, due, stage_.time.wall());
    Random chance = chance_of(options_.seed, agent.name, due);
    auto habit = options_.habits.find(agent.name);
    return habit == options_.habits.end() ? draw_run(chance) : draw_run(chance, habit->second);
}

Wall World::late_after(const AgentSpec& agent, Wall due) const {
    if (options_.work) return options_.work->late_after(agent.name, due);
    auto next = next_firing(agent.schedule, agent.zone, due);
    return due + (next ? std::min((*next - due) / 5, minutes(30)) : minutes(30));
}

// ---- Clock -------------------------------------------------------------------------------------

std::vector<Event> World::wait(Alarm alarm) {
    if (dead_) return {};
    if (stage_.inbox.empty() && state_ && seen_.now.ms > 0) check_rest(alarm);
    while (stage_.inbox.empty() && !dead_) {
        Instant ring = std::min(alarm.at, stage_.time.instant_of(alarm.wall));
        stage_.time.advance(ring);
        if (stage_.time.now() >= std::min(alarm.at, stage_.time.instant_of(alarm.wall))) break;
    }
    size_t count = std::min(stage_.inbox.size(), static_cast<size_t>(kEventsPerCycle));
    auto first = stage_.inbox.begin();
    std::vector<Event> events(first, first + static_cast<std::ptrdiff_t>(count));
    stage_.inbox.erase(first, first + static_cast<std::ptrdiff_t>(count));
    return events;
}

void World::check_rest(Alarm alarm) {
    if (options_.check) checkers_.see(Rest{*state_, seen_, alarm});
}

// ---- Probe -------------------------------------------------------------------------------------

Snapshot World::look(Instant) {
    return seen_ = machine_.look();
}

// ---- Journal -----------------------------------------------------------------------------------

void World::record(const Cycle& cycle) {
    if (dead_) return;
    for (const Decision& decision : cycle.decisions) note_in_history(decision);
    trace_.add(cycle);
    tally_.add(cycle, options_.fleet);
    if (options_.check) checkers_.see(Turn{cycle, *state_, truth()});
    on_cycle(cycle);
}

void World::note_in_history(const Decision& decision) {
    auto answered = [&](const AgentName& agent, Wall due) {
        Wall& last = history_.last_due[agent];
        last = std::max(last, due);
    };
    if (const auto* start = std::get_if<StartRun>(&decision.action)) {
        if (start->trigger != Trigger::kManual) answered(start->agent, start->due);
        history_.next_run = std::max(history_.next_run, RunId{start->run.value + 1});
        history_.open.insert(start->run);
    }
    if (const auto* skip = std::get_if<SkipFirings>(&decision.action))
        answered(skip->agent, skip->last);
    if (const auto* close = std::get_if<CloseRun>(&decision.action))
        history_.open.erase(close->run);
}

Truth World::truth() const {
    Truth truth{.desk_is_ours = desk_.is_ours(),
                .desk_is_strangers = desk_.is_strangers(),
                .workers = {},
                .device_total = options_.hardware.device_total,
                .host_total = options_.hardware.host_total};
    for (const auto& [name, worker] : workers_.all())
        truth.workers[name] = {worker.spec, static_cast<int>(worker.running.size())};
    return truth;
}

// ---- Executor ----------------------------------------------------------------------------------

void World::run(const Decision& decision) {
    if (dead_) return;
    if (actions_to_live_ >= 0 && actions_to_live_-- == 0) return die();
    std::visit([this](const auto& action) { carry_out(action); }, decision.action);
}

void World::carry_out(const StartRun& action) {
    agents_.start(action.run, state_->fleet.agents.at(action.agent), action.due);
}
void World::carry_out(const StopRun& action) {
    agents_.stop(action.run, action.hard);
}
void World::carry_out(const StartCall& action) {
    if (const CallShape* shape = agents_.shape_of(action.call))
        workers_.start(action.model, action.call, *shape);
}
void World::carry_out(const CloseCall& action) {
    if (action.outcome != CallOutcome::kRefused) return;
    workers_.cancel(action.call);
    agents_.refused(action.call, action.code);
}
void World::carry_out(const LoadModel& action) {
    workers_.load(state_->fleet.models.at(action.model));
}

// ---- the life of the daemon --------------------------------------------------------------------

void World::boot() {
    dead_ = false;
    actions_to_live_ = -1;
    seen_ = {};
    stage_.inbox.clear();
    tally_.interrupted(static_cast<int64_t>(history_.open.size()));
    history_.open.clear();
    stage_.post(Recovered{history_.last_due, history_.next_run});
    stage_.post(Configured{options_.fleet, stage_.time.wall()});
}

// kill -9: what runs under the daemon goes with it, its ticket in the line is stale, and nobody
// watches the clock until it is started again.
void World::die() {
    dead_ = true;
    ++deaths_;
    workers_.kill_all();
    agents_.kill_all();
    desk_.drop_ours();
    checkers_.daemon_died();
    Instant back = now() + stage_.random.between(Millis{100}, minutes(90));
    while (now() < back) stage_.time.advance(back);
}

Summary World::summary() && {
    Summary summary = std::move(tally_).finish();
    summary.length = options_.length;
    summary.desk_busy = workers_.desk_serving().total();
    summary.serving = workers_.desk_serving().by_hour();
    summary.loading = workers_.desk_loading().by_hour();
    BusyHours whole;
    Wall end = stage_.time.wall();
    whole.change(+1, now() - options_.length, {});
    whole.change(-1, now(), end + offset_at(zone_of(options_.fleet), end));
    summary.whole = whole.by_hour();
    summary.device_peak = machine_.used_max().device;
    summary.deaths = deaths_;
    summary.trace_hash = trace_.value();
    return summary;
}

Options recorded_day(const RecordedDay& day) {
    Options options{.seed = day.seed, .fleet = {}, .hardware = recorded_hardware()};
    options.fleet = fleet_of(day, options.start);
    options.work = std::make_shared<Player>(day, options.start);
    options.start = options.start - kBeforeTheDay;
    options.length = kBeforeTheDay + day.length + kAfterTheDay;
    return options;
}

Options usual_day(uint64_t seed, int agents, const Faults& faults) {
    Random random(seed);
    Options day{.seed = random.next(), .faults = faults, .fleet = {}};
    day.fleet = generate_fleet(agents, random.fork());
    if (faults.has(Fault::kOddFleet)) make_odd(day.fleet, random.fork());
    return day;
}

std::string command_for(uint64_t seed, int agents, Millis length, const Faults& faults) {
    bool whole_hours = length.value % hours(1).value == 0;
    return fmt::format("hotdesk simulate --seed {} --agents {} --{} {} --faults {} --check", seed,
                       agents, whole_hours ? "hours" : "minutes",
                       length.value / (whole_hours ? hours(1) : minutes(1)).value,
                       to_string(faults));
}

Simulation simulate(Options options) {
    World world(std::move(options));
    std::optional<Loop> loop;
    while (!world.is_over()) {
        if (!loop || world.daemon_died()) {
            world.boot();
            loop.emplace(Ports{world, world, world, world});
            world.watch(loop->state());
        }
        loop->run_once();
    }
    auto broken = world.checkers().broken();
    return {std::move(world).summary(), std::move(broken)};
}

}  // namespace hotdesk::sim
