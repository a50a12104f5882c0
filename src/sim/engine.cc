// SPDX-License-Identifier: MIT
#include "sim/engine.h"

#include <algorithm>

namespace hotdesk::sim {

Engine::Stretch Engine::next_stretch(int64_t begin_us) const {
    auto batch = static_cast<int64_t>(answering_.size());
    int64_t tokens_us = speed_.step_each_us * batch;
    if (!reading_.empty()) {
        int64_t chunk = std::min(reading_.front().prefill, speed_.chunk.value);
        int64_t read_us = chunk * 1'000'000 / speed_.prefill_per_second.value;
        return {begin_us, read_us + tokens_us, 1, chunk};
    }
    if (answering_.empty()) return {};
    auto shortest =
        std::min_element(answering_.begin(), answering_.end(),
                         [](const Job& a, const Job& b) { return a.decode < b.decode; });
    return {begin_us, speed_.step_us + tokens_us, shortest->decode, 0};
}

void Engine::plan(int64_t begin_us) {
    stretch_ = next_stretch(begin_us);
    if (stretch_.steps > 0) alarm();
}

void Engine::alarm() {
    int64_t end_us = stretch_.begun_us + stretch_.step_us * stretch_.steps;
    Millis delay{std::max<int64_t>((end_us - now_us() + 999) / 1000, 0)};
    stage_.time.after(delay, [this, alive = is_alive_, plan = ++plan_, end_us] {
        if (!*alive || plan != plan_) return;
        finish(std::exchange(stretch_, {}));
        if (*alive && plan == plan_) this->plan(end_us);
    });
}

void Engine::interrupt() {
    if (stretch_.steps == 0) return plan(now_us());
    int64_t begun = (now_us() - stretch_.begun_us) / stretch_.step_us + 1;
    if (begun >= stretch_.steps) return;  // its last step is under way
    stretch_.steps = begun;
    alarm();
}

void Engine::finish(const Stretch& done) {
    std::vector<CallId> ended, first;
    for (Job& job : answering_) {
        job.decode -= done.steps;
        if (job.decode <= 0) ended.push_back(job.call);
    }
    std::erase_if(answering_, [](const Job& job) { return job.decode <= 0; });
    if (done.chunk > 0 && !reading_.empty()) {
        reading_.front().prefill -= done.chunk;
        if (reading_.front().prefill <= 0) {
            first.push_back(reading_.front().call);
            answering_.push_back(reading_.front());
            reading_.pop_front();
        }
    }
    for (CallId call : first) on_first(call);
    for (CallId call : ended) on_end(call);
}

void Engine::start(CallId call, const CallShape& shape) {
    int64_t restored = (shape.prompt - shape.fresh).value * speed_.prefill_per_second.value /
                       speed_.restore_per_second.value;  // takes as long as reading so many
    reading_.push_back({call, std::max<int64_t>(shape.fresh.value + restored, 1),
                        std::max<int64_t>(shape.completion.value, 1)});
    interrupt();
}

void Engine::cancel(CallId call) {
    auto is_it = [&](const Job& job) { return job.call == call; };
    std::erase_if(answering_, is_it);
    std::erase_if(reading_, is_it);
    interrupt();
}

}  // namespace hotdesk::sim
