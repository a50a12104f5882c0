// SPDX-License-Identifier: MIT
#pragma once
// State as clients see it: one JSON object for each question, the same for /hotdesk/v1/..., the CLI
// and the dashboard. Pure. Sizes are integers of bytes, durations of milliseconds; a time has two
// keys ("due": ISO 8601, "due_ms"). Each object has "schema": 1, which grows when a key is renamed
// or loses its meaning, not when one is added.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/world.h"
#include "store/records.h"

namespace hotdesk::views {

inline constexpr int kSchema = 1;

// One moment, borrowed while an answer is made.
struct Moment {
    const State& state;
    const Snapshot& seen;
};

// What a call waits for. `key` is one of a fixed set: routing, loading, unloading, slots, gate,
// lease, room, backoff; "" when it does not wait. `text` is for people and names who is ahead.
struct Waiting {
    std::string_view key;
    std::string text;
};
Waiting waiting_for(const State& state, const Call& call, Instant now);

// The last ended run of each agent, where there is one.
using LastRuns = std::map<AgentName, RunRecord>;

nlohmann::json status(const Moment& moment);
nlohmann::json agents(const Moment& moment, const LastRuns& last_runs);
nlohmann::json live_runs(const Moment& moment);
nlohmann::json queue(const Moment& moment);
// Both, of one moment: {"runs", "calls"}.
nlohmann::json ps(const Moment& moment);
nlohmann::json desks(const Moment& moment);
nlohmann::json models(const Moment& moment);

// "r-12", "c-7".
std::string run_id(RunId id);
std::string call_id(CallId id);

// From the history.
nlohmann::json run_record(const RunRecord& run);
// The same for a run that is not in the history yet: its "phase" is "asked" while it waits for its
// start. Nothing for a run that State does not know.
std::optional<nlohmann::json> unrecorded_run(const State& state, RunId id);
nlohmann::json call_record(const EndedCall& call);
nlohmann::json reason_record(const ReasonRecord& reason);
nlohmann::json model_record(const ModelRecord& change);

}  // namespace hotdesk::views
