// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "config/config.h"

namespace hotdesk {
namespace {

// Requires: check_auto_duration accepts it. Returns: nothing for "auto".
std::optional<Millis> auto_or(const std::string& text) {
    auto duration = parse_duration(text);
    return duration ? std::optional(*duration) : std::nullopt;
}

Policy policy_of(const Config& c) {
    Policy policy;
    policy.runs_max = static_cast<int>(c.fleet.runs_max);
    policy.stagger = c.fleet.stagger;
    policy.late_after = c.fleet.late_after;
    policy.kill_grace = c.fleet.kill_grace;
    policy.waiting_max = static_cast<int>(c.queue.waiting_max);
    policy.queue = c.queue.policy == "fifo" ? QueuePolicy::kFifo : QueuePolicy::kGba;
    policy.gate_age = auto_or(c.queue.gate_age);
    policy.linger = auto_or(c.queue.linger);
    policy.hold = auto_or(c.queue.hold);
    policy.preload = auto_or(c.queue.preload);
    policy.visit_max = c.queue.visit_max;
    policy.call_max = c.queue.call_max;
    policy.device_budget = c.gpu.budget;
    policy.device_reserve = c.gpu.reserve;
    policy.host_reserve = c.host.reserve;
    return policy;
}

ModelSpec model_of(const ModelSettings& m) {
    ModelSpec model;
    model.name = {m.name};
    model.path = m.file;
    model.placement = m.placement == "cpu" ? Placement::kHost : Placement::kDesk;
    model.context = {m.ctx};
    model.slots = static_cast<int>(m.slots);
    model.threads = static_cast<int>(m.threads);
    model.kv_type = m.kv;
    model.pinned = m.keep == "always";
    model.keep = model.pinned ? Millis{} : parse_duration(m.keep).value_or(Millis{});
    model.aliases = m.aliases;
    return model;
}

Overlap overlap_of(const std::string& word) {
    if (word == "queue") return Overlap::kQueue;
    return word == "latest" ? Overlap::kLatest : Overlap::kSkip;
}

AgentSpec agent_of(const AgentSettings& a, const Shared<Zone>& zone) {
    AgentSpec agent;
    agent.name = {a.name};
    agent.schedule = parse_schedule(a.schedule).value_or(Schedule{});
    agent.zone = zone;
    agent.command = a.command;
    agent.directory = a.dir;
    agent.env = a.env;
    agent.task = a.task;
    agent.wait = a.wait;
    agent.timeout = a.timeout;
    agent.overlap = overlap_of(a.overlap);
    agent.catch_up = a.catch_up == "skip" ? CatchUp::kSkip : CatchUp::kOnce;
    agent.grace = a.grace;
    agent.priority = a.priority == "interactive" ? Priority::kInteractive : Priority::kBatch;
    agent.privacy = a.privacy == "local" ? Privacy::kLocal : Privacy::kAny;
    agent.gpu = a.gpu == "run" ? GpuUse::kRun : GpuUse::kCall;
    agent.paused = !a.enabled;
    return agent;
}

}  // namespace

Result<Fleet> resolve(const Config& config, const ZoneLookup& zones) {
    Fleet fleet;
    fleet.policy = policy_of(config);
    fleet.desk = {config.gpu.desk};
    for (const auto& m : config.models) fleet.models.emplace(ModelName{m.name}, model_of(m));
    for (const auto& t : config.tasks)
        for (const auto& model : t.models) fleet.tasks[t.name].push_back({model});

    std::string problems;
    std::map<std::string, Shared<Zone>> known;  // fifty agents in one zone read its file once
    const auto zone_for = [&](const std::string& name, const std::string& where) {
        if (!known.count(name)) {
            auto zone = zones(name);
            if (!zone)
                problems += fmt::format("{}{}: {}", problems.empty() ? "" : "\n", where,
                                        zone.error().message);
            known[name] = zone.value_or(Zone{});
        }
        return known[name];
    };
    zone_for(config.fleet.timezone, fmt::format("{}: fleet.timezone", config.file));
    for (const auto& a : config.agents) {
        const std::string& name = a.timezone.empty() ? config.fleet.timezone : a.timezone;
        const auto where =
            fmt::format("{}:{}:{}: agent \"{}\"", a.at.file, a.at.line, a.at.column, a.name);
        fleet.agents.emplace(AgentName{a.name}, agent_of(a, zone_for(name, where)));
    }
    if (!problems.empty()) return fail(Code::kInvalid, problems);
    return fleet;
}

}  // namespace hotdesk
