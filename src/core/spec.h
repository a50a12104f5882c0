// SPDX-License-Identifier: MIT
#pragma once
// What the user asked for, after the config was read and the model headers were looked at: values
// that do not change until the next reload. What happens meanwhile is in core/world.h.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/shared.h"
#include "base/units.h"
#include "core/cron.h"
#include "core/zone.h"

namespace hotdesk {

// Where a model's layers live.
enum class Placement : uint8_t {
    kDesk,  // on the device, under the lease
    kHost,  // on the CPU, beside whatever has the desk
};

// What a loaded model takes, planned before anything is loaded (core/planner.h).
struct Footprint {
    Bytes device;  // weights, KV and compute on the device
    Bytes host;    // the same in RAM
    friend bool operator==(const Footprint&, const Footprint&) = default;
};

struct ModelSpec {
    ModelName name;
    std::string path;  // the GGUF, or its first part
    Placement placement = Placement::kDesk;
    Tokens context;               // cells of the KV pool, shared by the slots
    int slots = 4;                // calls decoded together
    std::string kv_type = "f16";  // "f16" or "q8_0"
    int threads = 1;              // of the CPU, in its worker
    Footprint need;
    Millis keep;          // unloaded after this long without a call; see `pinned`
    bool pinned = false;  // keep = "always": never unloaded for idleness
    std::vector<std::string> aliases;
    std::string unusable;  // why it cannot be used ("/x.gguf: not a GGUF file"), or ""

    friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

// Whether a worker that hosts `a` may go on as `b`: what its process was started with is the same.
inline bool host_alike(const ModelSpec& a, const ModelSpec& b) {
    return a.path == b.path && a.placement == b.placement && a.context == b.context &&
           a.slots == b.slots && a.kv_type == b.kv_type && a.threads == b.threads &&
           a.need == b.need && a.unusable == b.unusable;
}

// Contexts that a worker keeps for its callers between calls: one for each of fifty agents and
// some. Each costs one row of logits (600 kB with a vocabulary of 150,000).
inline int contexts_of(const ModelSpec& spec) {
    return spec.slots > 64 ? spec.slots : 64;
}

// A recurrent model holds a whole state for each context, used or not: a worker keeps no more.
inline constexpr int kRecurrentContextsMax = 16;

enum class Overlap : uint8_t { kSkip, kQueue, kLatest };
enum class CatchUp : uint8_t { kOnce, kSkip };
enum class Privacy : uint8_t { kLocal, kAny };
enum class GpuUse : uint8_t { kCall, kRun };  // lease for each model call, or for the whole run

// A person who waits, or a job that can. An interactive call goes before the batch calls of its
// model until the oldest of those has waited gate_age.
enum class Priority : uint8_t { kBatch, kInteractive };

// Who is served next: `kGba` groups calls by model behind a gate, which bounds every wait
// (core/scheduler.h); `kFifo` is the strict order of arrival over all models, one load for each
// change.
enum class QueuePolicy : uint8_t { kGba, kFifo };

struct AgentSpec {
    AgentName name;
    Schedule schedule;
    Shared<Zone> zone;                 // some 4 kB, and few agents have one of their own
    std::vector<std::string> command;  // argv, run in `directory`
    std::string directory;
    std::map<std::string, std::string> env;
    std::string task;              // what its calls ask for unless they say otherwise
    Millis wait = minutes(8);      // longest wait for the desk, per call
    Millis timeout = minutes(20);  // of the run itself; waiting does not count
    Overlap overlap = Overlap::kSkip;
    CatchUp catch_up = CatchUp::kOnce;
    Millis grace = minutes(30);  // a firing older than this is missed, not caught up
    Privacy privacy = Privacy::kAny;
    GpuUse gpu = GpuUse::kCall;
    Priority priority = Priority::kBatch;
    bool paused = false;  // enabled = false in the config

    friend bool operator==(const AgentSpec&, const AgentSpec&) = default;
};

// Numbers of the policy; each is a key of the config with the same name.
struct Policy {
    int runs_max = 64;             // [fleet] agent processes alive at once
    Millis stagger = seconds(60);  // [fleet] window over which one tick's starts are spread
    Millis late_after =
        seconds(60);        // [fleet] a firing this late is a catch-up: spaced, inside its grace
    int waiting_max = 500;  // [queue] calls waiting; one more is refused
    QueuePolicy queue = QueuePolicy::kGba;  // [queue] policy
    // [queue] These four are derived from the measured load times when they are absent; see
    // core/pace.h.
    std::optional<Millis> gate_age;  // after this wait no newer call of another model goes first
    std::optional<Millis> linger;    // an idle model is kept for its runs that are in a tool call
    std::optional<Millis> hold;      // an idle model is not swapped out for a younger wait
    std::optional<Millis> preload;   // a model is loaded this long before its agents are due
    Millis visit_max = minutes(4);   // [queue] calls start this long behind a closed gate
    Millis call_max = minutes(10);   // [queue] a running call is ended after this long
    Bytes device_budget;  // [gpu] bytes of the desk that models may take; 0 = what the probe says
    Bytes device_reserve = mib(256);  // [gpu] always left to the desktop
    Bytes host_reserve = gib(1);      // [host] RAM always left to everybody else
    Millis kill_grace = seconds(5);   // from SIGTERM to SIGKILL

    friend bool operator==(const Policy&, const Policy&) = default;
};

// The whole fleet file, resolved. Tasks map to models in the order of preference.
struct Fleet {
    Policy policy;
    DeskName desk{"gpu0"};
    std::map<ModelName, ModelSpec> models;
    std::map<AgentName, AgentSpec> agents;
    std::map<std::string, std::vector<ModelName>> tasks;

    friend bool operator==(const Fleet&, const Fleet&) = default;
};

}  // namespace hotdesk
