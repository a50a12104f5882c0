// SPDX-License-Identifier: MIT
#include "daemon/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>

namespace hotdesk {
namespace {

using prometheus::Histogram;

// From "at once" over a model swap (tens of seconds) to the default longest wait of 8 minutes.
const Histogram::BucketBoundaries kWaitSeconds = {0.001, 0.01, 0.1, 0.5, 1,   2,   5,
                                                  10,    30,   60,  120, 240, 480, 960};

constexpr std::array kPhases = {std::pair{WorkerPhase::kLoading, "loading"},
                                std::pair{WorkerPhase::kReady, "ready"},
                                std::pair{WorkerPhase::kUnloading, "unloading"}};

std::string label(const ModelName& model) {
    return model.empty() ? "none" : model.value;
}

}  // namespace

DeskGauges desk_gauges(const State& state) {
    DeskGauges out;
    for (const auto& [name, spec] : state.fleet.models) {
        out.calls_waiting[name] = 0;
        out.held[name] = {};
    }
    for (const auto& [id, call] : state.calls)
        if (call.phase == CallPhase::kArrived || call.phase == CallPhase::kWaiting)
            ++out.calls_waiting[call.model];
    for (const auto& [name, worker] : state.workers) {
        ++out.workers[worker.phase];
        out.loads[name] = worker.loads;
        out.held[name] = worker.held;
    }
    for (const auto& [id, run] : state.runs)
        if (run.phase != RunPhase::kEnded) ++out.runs_alive;
    return out;
}

class Metrics::Impl {
  public:
    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& calls =
        prometheus::BuildCounter()
            .Name("hotdesk_calls_total")
            .Help("Calls that ended, by model and outcome")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& tokens =
        prometheus::BuildCounter()
            .Name("hotdesk_tokens_total")
            .Help("Tokens of calls that were answered; cached is part of prompt")
            .Register(registry);
    prometheus::Family<prometheus::Counter>& runs = prometheus::BuildCounter()
                                                        .Name("hotdesk_runs_total")
                                                        .Help("Runs that ended, by outcome")
                                                        .Register(registry);
    Histogram& wait = prometheus::BuildHistogram()
                          .Name("hotdesk_call_wait_seconds")
                          .Help("Time from a call's arrival to its start")
                          .Register(registry)
                          .Add({}, kWaitSeconds);
    prometheus::Family<prometheus::Gauge>& waiting = prometheus::BuildGauge()
                                                         .Name("hotdesk_calls_waiting")
                                                         .Help("Calls in the line of each model")
                                                         .Register(registry);
    prometheus::Family<prometheus::Gauge>& loads =
        prometheus::BuildGauge()
            .Name("hotdesk_model_loads")
            .Help("Loads of each model since the daemon started")
            .Register(registry);
    prometheus::Family<prometheus::Gauge>& held =
        prometheus::BuildGauge()
            .Name("hotdesk_held_bytes")
            .Help("Memory that the ledger counts for each model")
            .Register(registry);
    prometheus::Family<prometheus::Gauge>& workers = prometheus::BuildGauge()
                                                         .Name("hotdesk_workers")
                                                         .Help("Worker processes, by phase")
                                                         .Register(registry);
    prometheus::Gauge& runs_alive = prometheus::BuildGauge()
                                        .Name("hotdesk_runs_alive")
                                        .Help("Agent processes alive")
                                        .Register(registry)
                                        .Add({});

    void set(const DeskGauges& gauges);
};

void Metrics::Impl::set(const DeskGauges& gauges) {
    for (const auto& [model, count] : gauges.calls_waiting)
        waiting.Add({{"model", label(model)}}).Set(count);
    for (const auto& [model, count] : gauges.loads) loads.Add({{"model", label(model)}}).Set(count);
    for (const auto& [model, bytes] : gauges.held) {
        held.Add({{"model", label(model)}, {"where", "device"}})
            .Set(static_cast<double>(bytes.device.value));
        held.Add({{"model", label(model)}, {"where", "host"}})
            .Set(static_cast<double>(bytes.host.value));
    }
    for (const auto& [phase, name] : kPhases) {
        const auto it = gauges.workers.find(phase);
        workers.Add({{"phase", name}}).Set(it == gauges.workers.end() ? 0 : it->second);
    }
    runs_alive.Set(gauges.runs_alive);
}

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::call_ended(const CallTally& record) {
    const std::string model = label(record.model);
    impl_->calls.Add({{"model", model}, {"outcome", std::string(to_string(record.outcome))}})
        .Increment();
    impl_->wait.Observe(static_cast<double>(record.waited.value) / 1000);
    if (record.outcome != CallOutcome::kDone) return;
    const std::array counts = {std::pair{"prompt", record.prompt},
                               std::pair{"cached", record.cached},
                               std::pair{"completion", record.completion}};
    for (const auto& [kind, tokens] : counts)
        impl_->tokens.Add({{"model", model}, {"kind", kind}})
            .Increment(static_cast<double>(tokens.value));
}

void Metrics::run_ended(Outcome outcome) {
    impl_->runs.Add({{"outcome", std::string(to_string(outcome))}}).Increment();
}

std::string Metrics::text(const DeskGauges& gauges) {
    impl_->set(gauges);
    return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace hotdesk
