// SPDX-License-Identifier: MIT
#pragma once
// The worker processes of the loaded models: starts and ends them as the loop says, and tells it
// what became of them. Knows nothing of calls; the gateway gets a worker's client while it lives.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/worker_client.h"
#include "core/spec.h"
#include "daemon/loop_port.h"

namespace hotdesk {

// What all workers of this daemon have in common.
struct WorkerSettings {
    std::string program;                // hotdesk-worker
    std::string engine_dir;             // where the engine's libraries are
    std::vector<std::string> backends;  // further device libraries to load
    std::string device = "auto";        // the engine's name of the desk's device
    std::vector<std::pair<std::string, std::string>> env;
};

// The command line of the worker that hosts `spec`.
WorkerCommand worker_command(const WorkerSettings& settings, const ModelSpec& spec);

// Posts WorkerLoading, WorkerReady and WorkerGone. Thread: any; the work is done on the io thread.
class ModelWorkers {
  public:
    // Called on the io thread when a model's worker takes calls, and with nullptr before it is
    // gone.
    using Announce = std::function<void(const ModelName&, WorkerClient*)>;

    ModelWorkers(boost::asio::io_context& io, LoopPort& loop, WorkerSettings settings,
                 Announce announce);
    ~ModelWorkers();

    void load(ModelSpec spec);
    void unload(ModelName model, bool hard);

    // Kills what is left. Requires: the io thread has stopped.
    void clear() { clients_.clear(); }

  private:
    void start(const ModelSpec& spec);
    WorkerHandlers handlers_for(const ModelSpec& spec);
    void on_gone(const ModelName& model, Error error, bool crashed);

    boost::asio::io_context& io_;
    LoopPort& loop_;
    WorkerSettings settings_;
    Announce announce_;
    std::map<ModelName, std::unique_ptr<WorkerClient>> clients_;
};

}  // namespace hotdesk
