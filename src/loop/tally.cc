// SPDX-License-Identifier: MIT
#include "loop/tally.h"

#include <algorithm>

namespace hotdesk {

Percentiles percentiles_of(std::vector<int64_t> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    auto rank = [&](size_t percent) {
        size_t nth = (values.size() * percent + 99) / 100;  // rounded up, from 1
        return values[std::max<size_t>(nth, 1) - 1];
    };
    return {rank(50), rank(95), rank(99), values.back()};
}

void Tally::add(const Event& event) {
    if (const auto* configured = std::get_if<Configured>(&event))
        for (const auto& [name, spec] : configured->fleet.models)
            placements_[name] = spec.placement;
    if (const auto* ready = std::get_if<WorkerReady>(&event)) loading_.erase(ready->model);
    if (const auto* gone = std::get_if<WorkerGone>(&event)) {
        loads_failed_ += static_cast<int64_t>(loading_.erase(gone->model));
        on_desk_.erase(gone->model);
    }
}

void Tally::add(const Decision& decision) {
    if (const auto* run = std::get_if<CloseRun>(&decision.action)) ++runs_[run->outcome];
    if (const auto* skip = std::get_if<SkipFirings>(&decision.action))
        skips_[skip->outcome] += skip->count;
    if (const auto* call = std::get_if<CloseCall>(&decision.action)) {
        ++calls_[call->outcome];
        if (call->outcome == CallOutcome::kDone) waits_ms_.push_back(call->waited.value);
    }
    if (const auto* load = std::get_if<LoadModel>(&decision.action)) {
        ++loads_;
        loading_.insert(load->model);
        if (placements_[load->model] == Placement::kDesk) on_desk_.insert(load->model);
        desk_resident_max_ = std::max(desk_resident_max_, static_cast<int64_t>(on_desk_.size()));
    }
}

}  // namespace hotdesk
