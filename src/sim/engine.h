// SPDX-License-Identifier: MIT
#pragma once
// How fast a simulated worker serves: continuous batching with chunked prefill, one step after the
// other. A step is a prefill chunk of the oldest call that still has a prompt to read, together
// with one token of each call that is being answered; or only the tokens.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "sim/stage.h"
#include "sim/workload.h"

namespace hotdesk::sim {

class Engine {
  public:
    Engine(Stage& stage, Speed speed) : stage_(stage), speed_(speed) {}
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() { *is_alive_ = false; }

    // `on_first` when the prompt is read, `on_end` after the last token.
    void start(CallId call, const CallShape& shape);
    void cancel(CallId call);

    std::function<void(CallId)> on_first = [](CallId) {};
    std::function<void(CallId)> on_end = [](CallId) {};

  private:
    struct Job {
        CallId call;
        int64_t prefill, decode;  // tokens left
    };
    // Steps of one kind that follow each other without a change of the batch.
    struct Stretch {
        int64_t begun_us = 0;
        int64_t step_us = 0;
        int64_t steps = 0;  // 0: nothing to do
        int64_t chunk = 0;  // prompt tokens read by it
    };
    int64_t now_us() const { return stage_.time.now().ms * 1000; }
    Stretch next_stretch(int64_t begin_us) const;
    void plan(int64_t begin_us);
    void alarm();
    // The batch changes: the step under way goes to its end, the ones after it are planned again.
    void interrupt();
    void finish(const Stretch& done);

    Stage& stage_;
    Speed speed_;
    std::deque<Job> reading_;  // prompts, in the order of their start
    std::vector<Job> answering_;
    Stretch stretch_;
    uint64_t plan_ = 0;  // alarms of an older plan do nothing
    std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace hotdesk::sim
