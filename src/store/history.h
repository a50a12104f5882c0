// SPDX-License-Identifier: MIT
#pragma once
// The history, read: what `hotdesk runs`, `logs` and `why` and the gateway's routes ask. A second,
// read-only connection to the file of store/store.h; WAL lets it read while the daemon writes. It
// sees notes once they are flushed (Store::flush).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace SQLite {
class Database;
}

namespace hotdesk {

// Which runs. An empty `agent` means all of them.
struct RunQuery {
    AgentName agent;
    Wall since;      // those that started, or were skipped, at or after this
    int limit = 50;  // 1 to kHistoryRowsMax
};

inline constexpr int kHistoryRowsMax = 10'000;

// Owns: its connection. Thread: any one; each thread opens its own.
class History {
  public:
    // Errors: kNotFound when there is no file yet; kInvalid when a newer Hotdesk wrote it.
    static Result<History> open(const std::string& path);

    History(History&&) noexcept;
    History& operator=(History&&) noexcept;
    ~History();

    // Newest first, groups of skipped firings among them.
    Result<std::vector<RunRecord>> runs(const RunQuery& query);
    Result<std::optional<RunRecord>> run(RunId id);
    // The newest run of an agent that has a process, or had one.
    Result<std::optional<RunRecord>> last_run(const AgentName& agent);
    // The newest ended run of each agent, for `hotdesk agents`.
    Result<std::map<AgentName, RunRecord>> last_ended_runs();
    Result<std::optional<EndedCall>> call(CallId id);
    // The newest `limit` calls of runs that were answered, oldest first.
    Result<std::vector<EndedCall>> answered_calls(int limit);

    // The newest `limit` decisions about a run (its calls included), a call, an agent or a model,
    // oldest first.
    Result<std::vector<ReasonRecord>> reasons(RunId run, int limit);
    Result<std::vector<ReasonRecord>> reasons(CallId call, int limit);
    Result<std::vector<ReasonRecord>> reasons(const AgentName& agent, int limit);
    Result<std::vector<ReasonRecord>> reasons(const ModelName& model, int limit);

    // The newest changes of a model, oldest first.
    Result<std::vector<ModelRecord>> model_changes(const ModelName& model, int limit);

  private:
    explicit History(std::unique_ptr<SQLite::Database> db);

    std::unique_ptr<SQLite::Database> db_;
};

}  // namespace hotdesk
