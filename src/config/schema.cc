// SPDX-License-Identifier: MIT
#include "config/schema.h"

#include "config/value_checks.h"

namespace hotdesk {
namespace {

constexpr std::string_view kQueuePolicies[] = {"gba", "fifo"};
constexpr std::string_view kPriorities[] = {"batch", "interactive"};
constexpr std::string_view kWaitNotices[] = {"comment", "off"};
constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error"};
constexpr std::string_view kPlacements[] = {"desk", "cpu"};
constexpr std::string_view kKvTypes[] = {"f16", "q8_0"};
constexpr std::string_view kOverlaps[] = {"skip", "queue", "latest"};
constexpr std::string_view kCatchUps[] = {"once", "skip"};
constexpr std::string_view kPrivacies[] = {"local", "any"};
constexpr std::string_view kGpuUses[] = {"call", "run"};

constexpr int64_t kDayMs = 86'400'000;
// Durations are bounded so that a sum of a few never overflows, and a slip ("8000d") is seen.
constexpr int64_t kYearMs = 366 * kDayMs;

constexpr Rule up_to_a_year(int64_t low_ms) {
    return {.low = low_ms, .high = kYearMs};
}
constexpr Rule count(int64_t low, int64_t high) {
    return {.low = low, .high = high};
}
constexpr Rule one_of(std::span<const std::string_view> words) {
    return {.words = words};
}
constexpr Rule each(Status (*check)(const std::string&)) {
    return {.check = check};
}
constexpr Rule required(Status (*check)(const std::string&) = nullptr) {
    return {.check = check, .is_required = true};
}
constexpr Rule kPath{.is_path = true};
constexpr Rule kAny{};

}  // namespace

template <>
const std::vector<Key<ServerSettings>>& keys_of() {
    using S = ServerSettings;
    static const std::vector<Key<S>> keys{
        {"listen",
         &S::listen,
         {.check = check_listen, .is_path = true},
         "Addresses of the HTTP API: \"unix:PATH\" or \"HOST:PORT\". Any address that is not "
         "loopback needs a token_file."},
        {"token_file", &S::token_file, kPath,
         "A file with the token that clients must send (Authorization: Bearer). Empty: none is "
         "asked for, and only loopback addresses are allowed."},
        {"state_dir", &S::state_dir, kPath,
         "History, logs and desks. Empty: $HOTDESK_STATE_DIR, else $XDG_STATE_HOME/hotdesk."},
    };
    return keys;
}

template <>
const std::vector<Key<GpuSettings>>& keys_of() {
    using S = GpuSettings;
    static const std::vector<Key<S>> keys{
        {"device", &S::device, each(check_device),
         "How the device is watched: \"auto\" (the first that answers), \"none\", \"nvml:N\", "
         "\"amdgpu:N\", \"vulkan:N\" or \"emulated:PATH\" (a ledger file, for tests and the "
         "demo)."},
        {"budget", &S::budget, kAny,
         "Bytes of the device that models may take together. 0: what the device has, less the "
         "reserve."},
        {"reserve", &S::reserve, kAny, "Bytes of the device that are always left to the desktop."},
        {"desk", &S::desk, required(check_name),
         "The name of the lock that everybody who uses this device queues for."},
        {"desk_dir", &S::desk_dir, kPath,
         "Where the lock's files are, when several users share the device. Empty: "
         "$HOTDESK_DESK_DIR, "
         "else `desks` in state_dir."},
        {"backends", &S::backends, kPath,
         "ggml backend libraries that workers load, in this order. Empty: those of the engine."},
        {"engine_dir", &S::engine_dir, kPath,
         "Where the engine's libraries are. Empty: beside the program."},
    };
    return keys;
}

template <>
const std::vector<Key<HostSettings>>& keys_of() {
    using S = HostSettings;
    static const std::vector<Key<S>> keys{
        {"reserve", &S::reserve, kAny, "Bytes of RAM that are always left to everybody else."},
    };
    return keys;
}

template <>
const std::vector<Key<FleetSettings>>& keys_of() {
    using S = FleetSettings;
    static const std::vector<Key<S>> keys{
        {"timezone", &S::timezone, required(),
         "The time zone of all schedules, such as \"Europe/Berlin\". \"local\": the machine's."},
        {"stagger", &S::stagger, up_to_a_year(0),
         "The window over which starts that are due at the same moment are spread."},
        {"late_after", &S::late_after, up_to_a_year(1000),
         "A firing this late is caught up: subject to the agent's catch_up and grace."},
        {"runs_max", &S::runs_max, count(1, 10'000), "Agent processes alive at once."},
        {"kill_grace", &S::kill_grace, up_to_a_year(0),
         "Time from SIGTERM to SIGKILL when a run is ended."},
    };
    return keys;
}

template <>
const std::vector<Key<QueueSettings>>& keys_of() {
    using S = QueueSettings;
    static const std::vector<Key<S>> keys{
        {"waiting_max", &S::waiting_max, count(1, 100'000),
         "Calls waiting at once. One more is refused with 429."},
        {"policy", &S::policy, one_of(kQueuePolicies),
         "\"gba\": calls are grouped by model, and no wait grows without bound; see "
         "doc/scheduling.md. \"fifo\": strictly in the order of arrival, a load for each change of "
         "model."},
        {"gate_age", &S::gate_age, each(check_auto_duration),
         "Once a call has waited this long for another model, no newer call goes before it. "
         "\"auto\": 3.5 times the measured loads of all models of the desk, at least a minute."},
        {"linger", &S::linger, each(check_auto_duration),
         "An idle model is kept this long for runs that are in a tool call, before gate_age is "
         "reached. \"auto\": what swapping it out and back takes, at most 20 s."},
        {"hold", &S::hold, each(check_auto_duration),
         "An idle model is not swapped out for a call that has waited less than this, because "
         "starts of one moment trickle in. \"auto\": twice the other model's load time, at most 15 "
         "s."},
        {"preload", &S::preload, each(check_auto_duration),
         "A model is loaded this long before its agents start, when nobody needs the desk. 0s: "
         "never. \"auto\": its measured load time and half a second."},
        {"visit_max", &S::visit_max, up_to_a_year(1000),
         "While somebody has waited gate_age, a model starts calls for at most this long before "
         "the next one has its turn."},
        {"call_max", &S::call_max, up_to_a_year(1000), "A running call is ended after this long."},
        {"heartbeat",
         &S::heartbeat,
         {.low = 1000, .high = 60'000},
         "How often a waiting client is sent a sign of life. Node's fetch gives up after 300 s "
         "without a byte."},
        {"headers_after",
         &S::headers_after,
         {.low = 0, .high = 60'000},
         "A waiting client gets its response headers after this long; until then a call can "
         "still be refused with a status code."},
        {"wait_notice", &S::wait_notice, one_of(kWaitNotices),
         "Whether a waiting stream is told its place in comment lines (\"comment\") or gets bare "
         "signs of life (\"off\")."},
    };
    return keys;
}

template <>
const std::vector<Key<LogSettings>>& keys_of() {
    using S = LogSettings;
    static const std::vector<Key<S>> keys{
        {"level", &S::level, one_of(kLevels), "The least important lines that are printed."},
    };
    return keys;
}

template <>
const std::vector<Key<HistorySettings>>& keys_of() {
    using S = HistorySettings;
    static const std::vector<Key<S>> keys{
        {"keep",
         &S::keep,
         {.low = kDayMs, .high = 10 * kYearMs},
         "How long ended runs and calls are remembered."},
    };
    return keys;
}

template <>
const std::vector<Key<RunLogSettings>>& keys_of() {
    using S = RunLogSettings;
    static const std::vector<Key<S>> keys{
        {"bytes_max",
         &S::bytes_max,
         {.low = 4096},
         "Output kept of one run. The beginning and the end are kept, the middle is left out."},
        {"runs_kept", &S::runs_kept, count(1, 10'000), "Runs of each agent whose output is kept."},
    };
    return keys;
}

template <>
const std::vector<Key<ModelSettings>>& keys_of() {
    using S = ModelSettings;
    static const std::vector<Key<S>> keys{
        {"name", &S::name, required(check_name), "What agents and tasks call it."},
        {"file",
         &S::file,
         {.is_required = true, .is_path = true},
         "The GGUF file, or the first part of a split one."},
        {"placement", &S::placement, one_of(kPlacements),
         "\"desk\": on the device, under the lease. \"cpu\": in RAM, beside whatever has the "
         "desk."},
        {"ctx", &S::ctx, count(256, 16'777'216), "Tokens of context memory, shared by the slots."},
        {"slots", &S::slots, count(1, 256), "Calls decoded together."},
        {"kv", &S::kv, one_of(kKvTypes), "The type of the context memory. q8_0 takes about half."},
        {"keep", &S::keep, each(check_keep),
         "Unloaded after this long without a call, or \"always\": never for idleness."},
        {"aliases", &S::aliases, each(check_alias),
         "Other names, such as those that unmodified agents ask for (\"gpt-4o-mini\")."},
        {"threads", &S::threads, count(1, 1024),
         "CPU threads of its worker. More than there are free cores makes it many times slower."},
    };
    return keys;
}

template <>
const std::vector<Key<AgentSettings>>& keys_of() {
    using S = AgentSettings;
    static const std::vector<Key<S>> keys{
        {"name", &S::name, required(check_name), "What it is called."},
        {"schedule", &S::schedule, each(check_schedule),
         "When it runs; see Schedules below. Empty: only when `hotdesk run` starts it."},
        {"timezone", &S::timezone, kAny, "The time zone of its schedule. Empty: [fleet] timezone."},
        {"command", &S::command, required(),
         "The program and its arguments; no shell is involved."},
        {"dir", &S::dir, kPath, "Where it runs. Empty: the directory of the file that names it."},
        {"env", &S::env, kAny, "Environment variables, added to the daemon's own."},
        {"task", &S::task, kAny, "What its calls ask for unless they say otherwise."},
        {"wait", &S::wait, up_to_a_year(1000), "The longest wait for the desk, per call."},
        {"timeout", &S::timeout, up_to_a_year(1000), "Of the run itself; waiting does not count."},
        {"overlap", &S::overlap, one_of(kOverlaps),
         "When it is due while it still runs: \"skip\" this firing, \"queue\" it, or run the "
         "\"latest\" one only."},
        {"catch_up", &S::catch_up, one_of(kCatchUps),
         "Firings missed while Hotdesk was down: run \"once\" if within grace, or \"skip\" them."},
        {"grace", &S::grace, up_to_a_year(0), "A firing older than this is missed, not caught up."},
        {"privacy", &S::privacy, one_of(kPrivacies),
         "\"local\": its words never leave this machine."},
        {"priority", &S::priority, one_of(kPriorities),
         "\"interactive\": its calls go before batch calls of the same model that have not waited "
         "gate_age yet, and swap an idle model out at once. A call may say so itself with the "
         "header "
         "x-hotdesk-priority."},
        {"gpu", &S::gpu, one_of(kGpuUses),
         "\"call\": the lease is taken for each model call. \"run\": the agent uses the device "
         "itself and holds the lease while it runs."},
        {"enabled", &S::enabled, kAny, "false: it is known, but paused."},
    };
    return keys;
}

template <>
const std::vector<Key<TaskSettings>>& keys_of() {
    using S = TaskSettings;
    static const std::vector<Key<S>> keys{
        {"name", &S::name, required(check_name),
         "What calls ask for: `task:NAME`, or an agent's task."},
        {"models", &S::models, required(), "Models that may do it, the preferred one first."},
    };
    return keys;
}

}  // namespace hotdesk
