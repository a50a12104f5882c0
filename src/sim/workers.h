// SPDX-License-Identifier: MIT
#pragma once
// The simulated worker processes: they load, serve calls in slots, crash and end, each in its own
// time. Obeys whatever it is told, so that a wrong decision shows in the checkers.

#include <functional>
#include <map>
#include <memory>

#include "core/world.h"
#include "core/zone.h"
#include "sim/busy_hours.h"
#include "sim/engine.h"
#include "sim/machine.h"
#include "sim/stage.h"
#include "sim/workload.h"

namespace hotdesk::sim {

class Workers {
  public:
    enum class Phase : uint8_t { kLoading, kReady, kUnloading };
    struct Worker {
        uint64_t life;  // which process; news of an earlier one are dropped
        ModelSpec spec;
        Phase phase = Phase::kLoading;
        bool has_memory = false;
        std::map<CallId, CallShape> running;
        std::unique_ptr<Engine> engine;
    };

    // `zone`: whose hours of the day the desk's are counted in.
    Workers(Stage& stage, Machine& machine, const Hardware& hardware, Zone zone)
        : stage_(stage), machine_(machine), hardware_(hardware), zone_(std::move(zone)) {}

    void load(const ModelSpec& spec);
    void unload(const ModelName& model, bool hard);
    // Does nothing when the worker has just died: its end is already on the way to the loop.
    void start(const ModelName& model, CallId call, const CallShape& shape);
    void cancel(CallId call);
    void kill_all();  // the daemon died, and they with it

    const std::map<ModelName, Worker>& all() const { return workers_; }
    const BusyHours& desk_serving() const { return desk_serving_; }
    const BusyHours& desk_loading() const { return desk_loading_; }
    int loads() const { return loads_; }

    // The client has its whole answer.
    std::function<void(CallId)> on_answer = [](CallId) {};

  private:
    Worker* find(const ModelName& model, uint64_t life);
    void load_step(const ModelName& model, uint64_t life, int permille, Millis step);
    void loaded(const ModelName& model, Worker& worker);
    void die(const ModelName& model, Error error, bool crashed);
    std::unique_ptr<Engine> make_engine(const ModelSpec& spec);
    void answer(const ModelName& model, CallId call);
    void note_desk(const ModelSpec& spec, BusyHours& hours, int change);

    Stage& stage_;
    Machine& machine_;
    const Hardware& hardware_;
    std::map<ModelName, Worker> workers_;
    uint64_t next_life_ = 1;
    int loads_ = 0;
    Zone zone_;
    BusyHours desk_serving_, desk_loading_;
};

}  // namespace hotdesk::sim
