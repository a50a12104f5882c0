// SPDX-License-Identifier: MIT
#include "sim/workers.h"

namespace hotdesk::sim {

Workers::Worker* Workers::find(const ModelName& model, uint64_t life) {
    auto it = workers_.find(model);
    return it != workers_.end() && it->second.life == life ? &it->second : nullptr;
}

// ---- loading -----------------------------------------------------------------------------------

void Workers::load(const ModelSpec& spec) {
    if (workers_.contains(spec.name)) return;  // no_model_loaded_twice reports it
    ++loads_;
    uint64_t life = next_life_++;
    workers_.emplace(
        spec.name, Worker{.life = life, .spec = spec, .running = {}, .engine = make_engine(spec)});
    note_desk(spec, desk_loading_, +1);
    Millis whole = load_time(spec, hardware_);
    if (stage_.strikes(Fault::kSlowLoad, 200)) whole = whole * stage_.random.between(2, 10);
    load_step(spec.name, life, 0, whole / 4);
}

// Memory is taken at a quarter of the way, as llama.cpp does after it has read the header.
void Workers::load_step(const ModelName& model, uint64_t life, int permille, Millis step) {
    stage_.time.after(step, [this, model, life, permille, step] {
        Worker* worker = find(model, life);
        if (!worker || worker->phase != Phase::kLoading) return;
        if (permille == 0 && !(worker->has_memory = machine_.take(worker->spec.need)))
            return die(model, {Code::kNoSpace, "cudaMalloc failed: out of memory"}, false);
        if (stage_.strikes(Fault::kLoadCrash, 60))
            return die(model, {Code::kUnavailable, "worker ended by signal 11"}, true);
        int done = permille + 250;
        if (done == 1000) return loaded(model, *worker);
        stage_.post(WorkerLoading{model, done});
        load_step(model, life, done, step);
    });
}

void Workers::loaded(const ModelName& model, Worker& worker) {
    worker.phase = Phase::kReady;
    note_desk(worker.spec, desk_loading_, -1);
    stage_.post(WorkerReady{model, worker.spec.need});
    if (!stage_.strikes(Fault::kWorkerCrash, 300)) return;
    stage_.time.after(stage_.random.between(Millis{1}, minutes(3)),
                      [this, model, life = worker.life] {
                          if (find(model, life))
                              die(model, {Code::kUnavailable, "worker ended by signal 11"}, true);
                      });
}

// ---- the end of a worker -----------------------------------------------------------------------

void Workers::unload(const ModelName& model, bool hard) {
    auto it = workers_.find(model);
    if (it == workers_.end()) return;
    if (it->second.phase == Phase::kLoading) note_desk(it->second.spec, desk_loading_, -1);
    it->second.phase = Phase::kUnloading;
    Millis takes = stage_.random.between(hardware_.unload_least, hardware_.unload_most);
    if (!hard && stage_.strikes(Fault::kSlowLoad, 200)) takes = minutes(10);
    stage_.time.after(takes, [this, model, life = it->second.life] {
        if (find(model, life)) die(model, {}, false);
    });
}

void Workers::die(const ModelName& model, Error error, bool crashed) {
    Worker& worker = workers_.at(model);
    if (worker.phase == Phase::kLoading) note_desk(worker.spec, desk_loading_, -1);
    if (!worker.running.empty())
        note_desk(worker.spec, desk_serving_, -static_cast<int>(worker.running.size()));
    if (worker.has_memory) machine_.give_back(worker.spec.need);
    workers_.erase(model);
    stage_.post(WorkerGone{model, std::move(error), crashed});
}

void Workers::kill_all() {
    while (!workers_.empty()) die(ModelName{workers_.begin()->first}, {}, true);
}

// ---- calls -------------------------------------------------------------------------------------

std::unique_ptr<Engine> Workers::make_engine(const ModelSpec& spec) {
    const Speed& usual = spec.placement == Placement::kDesk ? hardware_.desk : hardware_.host;
    auto measured = hardware_.speeds.find(spec.name);
    auto engine = std::make_unique<Engine>(
        stage_, measured == hardware_.speeds.end() ? usual : measured->second);
    engine->on_first = [this](CallId call) { stage_.post(CallStreaming{call}); };
    engine->on_end = [this, model = spec.name](CallId call) { answer(model, call); };
    return engine;
}

void Workers::start(const ModelName& model, CallId call, const CallShape& shape) {
    auto it = workers_.find(model);
    if (it == workers_.end() || it->second.phase != Phase::kReady) return;
    it->second.running.emplace(call, shape);
    note_desk(it->second.spec, desk_serving_, +1);
    it->second.engine->start(call, shape);
}

void Workers::answer(const ModelName& model, CallId call) {
    Worker& worker = workers_.at(model);
    CallShape shape = worker.running.at(call);
    worker.running.erase(call);
    note_desk(worker.spec, desk_serving_, -1);
    stage_.post(CallFinished{call, shape.prompt, shape.prompt - shape.fresh, shape.completion});
    on_answer(call);
}

void Workers::cancel(CallId call) {
    for (auto& [model, worker] : workers_) {
        if (worker.running.erase(call) == 0) continue;
        note_desk(worker.spec, desk_serving_, -1);
        worker.engine->cancel(call);
    }
}

void Workers::note_desk(const ModelSpec& spec, BusyHours& hours, int change) {
    if (spec.placement != Placement::kDesk) return;
    Wall wall = stage_.time.wall();
    hours.change(change, stage_.time.now(), wall + offset_at(zone_, wall));
}

}  // namespace hotdesk::sim
