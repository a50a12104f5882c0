// SPDX-License-Identifier: MIT
#include "sim/checkers.h"

#include <fmt/format.h>

#include "loop/record.h"
#include "sim/rest_checkers.h"
#include "sim/turn_checkers.h"

namespace hotdesk::sim {

Violation ReplayEqualsRecord::see(const Turn& turn) {
    auto difference = replayer_.feed_line(encode_cycle(turn.cycle));
    if (!difference) return difference.error().message;
    if (*difference) return fmt::format("cycle {} is decided differently", (*difference)->cycle);
    if (replayer_.state() != turn.state) return "the replayed State differs";
    return std::nullopt;
}

void Checkers::note(std::string_view checker, Instant at, Violation violation) {
    constexpr size_t kKept = 100;  // the first is what matters, the rest is its echo
    if (violation && broken_.size() < kKept) broken_.push_back({checker, at, *violation});
}

void Checkers::see(const Turn& turn) {
    Instant at = turn.cycle.seen.now;
    note("one_lease_owner", at, one_lease_owner(turn));
    note("device_never_overcommitted", at, device_never_overcommitted(turn));
    note("call_has_a_slot", at, call_has_a_slot(turn));
    note("model_line_is_fifo", at, model_line_is_fifo(turn));
    note("no_call_cut_by_swap", at, no_call_cut_by_swap(turn));
    note("no_model_loaded_twice", at, no_model_loaded_twice(turn));
    note("demand_load_has_a_waiter", at, demand_load_has_a_waiter(turn));
    note("gate_holds", at, gate_holds_.see(turn));
    note("every_load_serves", at, every_load_serves_.see(turn));
    note("wait_is_bounded", at, wait_is_bounded_.see(turn));
    note("every_run_ends_once", at, every_run_ends_once_.see(turn));
    note("every_call_ends_once", at, every_call_ends_once_.see(turn));
    if (replays_) note("replay_equals_record", at, replay_equals_record_.see(turn));
    if (one_more_) note("one_more", at, one_more_(turn));
}

void Checkers::see(const Rest& rest) {
    Instant at = rest.seen.now;
    note("progress_or_idle", at, progress_or_idle(rest));
    note("gate_closes_in_time", at, gate_closes_in_time(rest));
    note("alarm_before_first_deadline", at, alarm_before_first_deadline(rest));
    note("decide_is_idempotent", at, decide_is_idempotent(rest));
}

void Checkers::granted(uint64_t ticket, Instant at) {
    note("lease_is_fifo", at, lease_is_fifo_.granted(ticket));
}

void Checkers::daemon_died() {
    gate_holds_.daemon_died();
    every_load_serves_.daemon_died();
    wait_is_bounded_.daemon_died();
    every_run_ends_once_.daemon_died();
    every_call_ends_once_.daemon_died();
}

}  // namespace hotdesk::sim
