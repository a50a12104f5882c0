// SPDX-License-Identifier: MIT
#include "daemon/executor.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <utility>

#include "base/text.h"
#include "os/run_log.h"

namespace hotdesk {
namespace {

// 128 random bits: the key opens the gateway for one run, and the marker finds its processes.
std::string random_token() {
    std::random_device entropy;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", entropy(), entropy(), entropy(), entropy());
}

// A start takes 2 ms on a quiet machine and 18 ms on a busy one.
constexpr int kStartsAtOnce = 2;

std::string in_millis(Millis duration) {
    return fmt::format("{}ms", duration.value);
}

}  // namespace

void DaemonExecutor::run(const Decision& decision) {
    parts_.store.note(reason_record(parts_.wall.now(), decision));
    std::visit([&](const auto& action) { act(action, decision.why); }, decision.action);
}

void DaemonExecutor::warn_if_failed(const Status& status, std::string_view what) const {
    if (!status) spdlog::error("cannot record {} yet: {}", what, status.error().message);
}

// ---- the fleet ---------------------------------------------------------------------------------

void DaemonExecutor::act(const StartRun& action, const Why& why) {
    to_start_.emplace_back(action, why);
}

void DaemonExecutor::start_some_runs() {
    for (int i = 0; i < kStartsAtOnce && !to_start_.empty(); ++i) {
        auto [action, why] = std::move(to_start_.front());
        to_start_.pop_front();
        start(action, why);
    }
}

void DaemonExecutor::start(const StartRun& action, const Why& why) {
    Status begun = begin(action, why);
    if (begun) return;
    spdlog::error("run={} agent={} not started: {}", action.run.value, action.agent.value,
                  begun.error().message);
    parts_.loop.post(RunEnded{action.run, 0, begun.error().message});
}

// The run is on record before its process starts: a daemon killed in between never runs it twice.
Status DaemonExecutor::begin(const StartRun& action, const Why& why) {
    auto found = fleet_->agents.find(action.agent);
    if (found == fleet_->agents.end())
        return fail(Code::kNotFound, "the config no longer has the agent");
    const AgentSpec& agent = found->second;
    std::error_code ec;  // what is wrong with the directory, the log's creation says
    std::filesystem::create_directories(logs_of(agent.name), ec);
    std::string key = "hd-" + std::to_string(action.run.value) + "-" + random_token();
    RunLaunch launch = launch_of(action, agent, key);
    HD_TRY_VOID(parts_.store.begin_run({.id = action.run,
                                        .agent = action.agent,
                                        .trigger = action.trigger,
                                        .due = action.due,
                                        .started = parts_.wall.now(),
                                        .marker = launch.child.marker,
                                        .log_path = launch.log_path,
                                        .why = why}));
    keys_[action.run] = key;
    parts_.gateway.add_key(key, {.run = action.run,
                                 .agent = action.agent,
                                 .task = agent.task,
                                 .wait = agent.wait,
                                 .privacy = agent.privacy,
                                 .priority = agent.priority});
    HD_TRY(ProcessIdentity who, parts_.runs.start(launch));
    parts_.loop.post(RunStarted{action.run, who.pid});
    spdlog::info("run={} agent={} action=start pid={} why={}", action.run.value, action.agent.value,
                 who.pid, to_string(why.reason));
    warn_if_failed(parts_.store.run_started(action.run, {.pid = who.pid,
                                                         .start_ticks = who.start_ticks,
                                                         .boot_id = who.boot_id,
                                                         .pid_namespace = who.pid_namespace,
                                                         .session = who.pid}),
                   "the process of a run");
    return {};
}

// One directory for each agent, whose oldest logs are deleted.
std::string DaemonExecutor::logs_of(const AgentName& agent) const {
    std::string name = agent.value;
    std::replace(name.begin(), name.end(), '/', '_');
    return settings_.logs_dir + "/" + name;
}

RunLaunch DaemonExecutor::launch_of(const StartRun& action, const AgentSpec& agent,
                                    const std::string& key) const {
    RunLaunch launch;
    launch.run = action.run;
    launch.log_path = fmt::format("{}/r-{}.log", logs_of(agent.name), action.run.value);
    launch.log_bytes_max = settings_.log_bytes_max;
    launch.child.command = command_of(agent);
    launch.child.directory = agent.directory;
    launch.child.marker = fmt::format("r-{}:{}", action.run.value, random_token());
    launch.child.env = settings_.env;
    launch.child.env["OPENAI_BASE_URL"] = settings_.base_url + "/v1";
    launch.child.env["OPENAI_API_BASE"] = settings_.base_url + "/v1";
    launch.child.env["OPENAI_API_KEY"] = key;
    launch.child.env["HOTDESK_SOCKET"] = settings_.socket;
    launch.child.env["HOTDESK_AGENT"] = agent.name.value;
    launch.child.env["HOTDESK_RUN_ID"] = fmt::format("r-{}", action.run.value);
    for (const auto& [name, value] : agent.env) launch.child.env[name] = value;
    return launch;
}

std::vector<std::string> DaemonExecutor::command_of(const AgentSpec& agent) const {
    if (agent.gpu == GpuUse::kCall) return agent.command;
    std::vector<std::string> command = {settings_.program,
                                        "lease",
                                        "run",
                                        "--desk",
                                        fleet_->desk.value,
                                        "--wait",
                                        in_millis(agent.wait),
                                        "--max-hold",
                                        in_millis(agent.timeout),
                                        "--grace",
                                        in_millis(fleet_->policy.kill_grace),
                                        "--for",
                                        "agent " + agent.name.value};
    if (!settings_.desk_dir.empty())
        command.insert(command.end(), {"--desk-dir", settings_.desk_dir});
    command.push_back("--");
    command.insert(command.end(), agent.command.begin(), agent.command.end());
    return command;
}

void DaemonExecutor::act(const StopRun& action, const Why& why) {
    spdlog::info("run={} action={} why={}", action.run.value, action.hard ? "kill" : "stop",
                 to_string(why.reason));
    parts_.runs.stop(action.run, action.hard);
}

void DaemonExecutor::act(const CloseRun& action, const Why& why) {
    if (auto key = keys_.extract(action.run); !key.empty()) parts_.gateway.remove_key(key.mapped());
    spdlog::info("run={} agent={} outcome={} exit={} ran={} waited={} why={}", action.run.value,
                 action.agent.value, to_string(action.outcome), action.exit_code,
                 in_millis(action.ran), in_millis(action.waited), to_string(why.reason));
    parts_.gateway.metrics().run_ended(action.outcome);
    keep_newest_logs(logs_of(action.agent), settings_.logs_kept);
    warn_if_failed(parts_.store.end_run({.id = action.run,
                                         .ended = parts_.wall.now(),
                                         .outcome = action.outcome,
                                         .exit_code = action.exit_code,
                                         .ran = action.ran,
                                         .waited = action.waited,
                                         .why = why}),
                   "the end of a run");
}

void DaemonExecutor::act(const SkipFirings& action, const Why& why) {
    spdlog::info("agent={} outcome={} firings={} why={}", action.agent.value,
                 to_string(action.outcome), action.count, to_string(why.reason));
    parts_.gateway.metrics().run_ended(action.outcome);
    warn_if_failed(parts_.store.skip_firings({parts_.wall.now(), action, why}), "a skipped firing");
}

// It waits in State and is not on record, so that a daemon that starts anew finds it due.
void DaemonExecutor::act(const HoldFiring&, const Why&) {}

// ---- calls -------------------------------------------------------------------------------------

void DaemonExecutor::act(const RouteCall&, const Why&) {}

void DaemonExecutor::act(const StartCall& action, const Why&) {
    parts_.gateway.start_call(action.call, action.model);
}

void DaemonExecutor::act(const CloseCall& action, const Why& why) {
    if (action.outcome == CallOutcome::kRefused) {
        spdlog::info("call={} agent={} action=refuse why={} need={} have={}", action.call.value,
                     action.agent.value, to_string(why.reason), why.need, why.have);
        parts_.gateway.refuse_call(action.call, action.code, why);
    }
    Wall now = parts_.wall.now();
    parts_.store.note(EndedCall{.id = action.call,
                                .run = action.run,
                                .agent = action.agent,
                                .model = action.model,
                                .arrived = now - action.waited - action.ran,
                                .ended = now,
                                .waited = action.waited,
                                .ran = action.ran,
                                .prompt = action.prompt,
                                .cached = action.cached,
                                .completion = action.completion,
                                .outcome = action.outcome,
                                .why = why});
}

// ---- the desk ----------------------------------------------------------------------------------

void DaemonExecutor::act(const SetGate&, const Why&) {}
void DaemonExecutor::act(const QueueForDesk&, const Why&) {
    parts_.desk.queue();
}

void DaemonExecutor::act(const ReleaseDesk&, const Why& why) {
    spdlog::info("desk={} action=release why={}", fleet_->desk.value, to_string(why.reason));
    parts_.desk.release();
}

void DaemonExecutor::act(const LoadModel& action, const Why& why) {
    spdlog::info("model={} action=load why={} need={} have={}", action.model.value,
                 to_string(why.reason), format_bytes({why.need}), format_bytes({why.have}));
    parts_.store.note(
        ModelRecord{parts_.wall.now(), action.model, ModelChange::kLoading, {}, {}, ""});
    parts_.workers.load(fleet_->models.at(action.model));
}

void DaemonExecutor::act(const UnloadModel& action, const Why& why) {
    spdlog::info("model={} action={} why={}", action.model.value, action.hard ? "kill" : "unload",
                 to_string(why.reason));
    parts_.workers.unload(action.model, action.hard);
}

}  // namespace hotdesk
