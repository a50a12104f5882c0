// SPDX-License-Identifier: MIT
#include "sim/agents.h"

#include <algorithm>

namespace hotdesk::sim {
namespace {

constexpr int kTryAgain = 75;  // EX_TEMPFAIL: what a polite agent exits with when the desk is busy

}  // namespace

Agents::Run* Agents::find(RunId run, uint64_t life) {
    auto it = runs_.find(run);
    return it != runs_.end() && it->second.life == life ? &it->second : nullptr;
}

const CallShape* Agents::shape_of(CallId call) const {
    auto run = open_.find(call);
    if (run == open_.end()) return nullptr;
    const Run& owner = runs_.at(run->second);
    return &owner.shape.calls[owner.next_call - 1];
}

// ---- a run and its calls -----------------------------------------------------------------------

void Agents::start(RunId id, const AgentSpec& spec, Wall due) {
    Run run{.spec = spec, .shape = work_(spec, due), .life = next_life_++};
    run.stubborn = stage_.strikes(Fault::kStubbornRun, 100);
    if (run.stubborn && stage_.random.chance(500)) run.shape.last_words = hours(3);
    stage_.time.after(run.shape.start_up, [this, id, life = run.life] {
        Run* now = find(id, life);
        if (!now) return;
        stage_.post(RunStarted{id, static_cast<int64_t>(id.value)});
        think(id, *now);
    });
    runs_.insert_or_assign(id, std::move(run));
}

void Agents::think(RunId id, const Run& run) {
    bool done = run.next_call == run.shape.calls.size();
    Millis pause = done ? run.shape.last_words : run.shape.calls[run.next_call].think;
    stage_.time.after(pause, [this, id, life = run.life, done] {
        Run* now = find(id, life);
        if (!now) return;
        if (done)
            end(id, now->shape.exit_code);
        else
            call(id, *now);
    });
}

void Agents::call(RunId id, Run& run) {
    const CallShape& shape = run.shape.calls[run.next_call++];
    run.open = {next_call_++};
    open_.emplace(run.open, id);
    bool is_first = run.next_call == 1;
    std::string wanted = shape.named ? "task:" + run.spec.task : "";
    stage_.post(
        CallArrived{.call = run.open,
                    .run = id,
                    .agent = run.spec.name,
                    .wanted = std::move(wanted),
                    .wait = is_first ? run.shape.first_wait.value_or(run.spec.wait) : run.spec.wait,
                    .priority = run.spec.priority,
                    .size = shape.size()});
    maybe_hang_up(id, run);
}

void Agents::maybe_hang_up(RunId id, const Run& run) {
    if (!stage_.strikes(Fault::kClientHangup, 100)) return;
    Millis patience = stage_.random.between(Millis{0}, seconds(30));
    stage_.time.after(patience, [this, id, life = run.life, call = run.open] {
        Run* now = find(id, life);
        if (!now || now->open != call) return;
        open_.erase(call);
        now->open = {};
        on_hangup(call);
        think(id, *now);
    });
}

void Agents::answered(CallId call) {
    auto it = open_.find(call);
    if (it == open_.end()) return;
    RunId id = it->second;
    open_.erase(it);
    Run& run = runs_.at(id);
    run.open = {};
    think(id, run);
}

void Agents::refused(CallId call, Code code) {
    auto it = open_.find(call);
    if (it == open_.end()) return;
    RunId id = it->second;
    open_.erase(it);
    Run& run = runs_.at(id);
    run.open = {};
    bool goes_on = !run.shape.gives_up && stage_.random.chance(300);
    if (goes_on) return think(id, run);
    bool busy = code == Code::kBusy || code == Code::kTimeout;
    stage_.time.after(Millis{30}, [this, id, life = run.life, busy] {
        if (find(id, life)) end(id, busy ? kTryAgain : 1);
    });
}

// ---- the end of a run --------------------------------------------------------------------------

void Agents::stop(RunId id, bool hard) {
    auto it = runs_.find(id);
    if (it == runs_.end() || (it->second.stubborn && !hard)) return;
    Millis takes = stage_.random.between(Millis{1}, Millis{hard ? 50 : 2000});
    stage_.time.after(takes, [this, id, life = it->second.life, hard] {
        if (find(id, life)) end(id, hard ? 137 : 143);
    });
}

// The kernel closes the sockets and reports the exit; which of the two is seen first is chance.
void Agents::end(RunId id, int exit_code) {
    auto it = runs_.find(id);
    CallId open = it->second.open;
    runs_.erase(it);
    open_.erase(open);
    bool exit_first = stage_.random.chance(500);
    if (exit_first) stage_.post(RunEnded{id, exit_code, ""});
    if (open) on_hangup(open);
    if (!exit_first) stage_.post(RunEnded{id, exit_code, ""});
}

void Agents::kill_all() {
    while (!runs_.empty()) end(RunId{runs_.begin()->first}, 137);
}

}  // namespace hotdesk::sim
