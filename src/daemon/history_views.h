// SPDX-License-Identifier: MIT
#pragma once
// Answers from the history, as JSON: runs, logs and why. The daemon's routes serve them with what
// is live laid over; the CLI makes the same objects itself when no daemon answers.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/views.h"
#include "store/history.h"

namespace hotdesk::views {

nlohmann::json run_list(const std::vector<RunRecord>& runs);

// Lays "phase", "ran_ms", "waited_ms" and "waits_for" of live runs over those of the same id.
void put_live_runs(const nlohmann::json& live, nlohmann::json& runs);

// "r-12", or an agent's name: then its newest run. Nothing when there is none.
Result<std::optional<RunRecord>> find_run(History& history, const std::string& name);

// {"subject","kind","record","now","reasons"}: kind is run, call or name; "now" is null.
Result<nlohmann::json> why(History& history, const std::string& name, int limit);

// What the subject is doing at this moment, for "now"; "" when it does nothing, and nothing when
// State does not know it.
std::optional<std::string> now_of(const Moment& moment, const std::string& name);

// A piece of a run's log: {"run","text","next","was_cut","ended"}; ask again with from = next.
Result<nlohmann::json> log_piece(const RunRecord& run, int64_t from);

}  // namespace hotdesk::views
