// SPDX-License-Identifier: MIT
#pragma once
// The work of a simulated day: a fleet of N agents, what one run of an agent asks for, and how long
// an engine takes for it. The speeds are assumptions (a 7B model in 4 bits on a 6 GB card), not
// measurements; they are printed with every simulation.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/spec.h"
#include "sim/random.h"

namespace hotdesk::sim {

// How fast a model is served: a 7B model in 4 bits on a 6 GB card, by assumption.
struct Speed {
    Tokens prefill_per_second{1200};
    Tokens chunk{256};                               // of a prompt, read in one step
    int64_t step_us = 20'000, step_each_us = 6'000;  // of b calls: step_us + b * step_each_us
    Tokens restore_per_second{393'900};  // a parked context: 30,464 bytes a token at 12 GB/s
};

// The machine that is simulated.
struct Hardware {
    Bytes device_total = gib(6);
    Bytes host_total = gib(16);
    Speed desk;
    Speed host{.prefill_per_second = {600}, .step_us = 40'000, .step_each_us = 12'000};
    Millis unload_least{20}, unload_most{400};
    // Measured. Of the models that are not here: load_time(), and the speeds above.
    std::map<ModelName, Millis> load_times;
    std::map<ModelName, Speed> speeds;
};

// Other programs that queue for the desk now and then; each draws how long it needs it, and how
// long it waits before it gives up.
struct Strangers {
    Millis every_least = minutes(2), every_most = minutes(40);
    Millis hold_least = seconds(1), hold_most = minutes(10);
    Millis patience_least = seconds(5), patience_most = minutes(30);
};

// Three models: "writer" and "coder" do not fit on a 6 GiB desk together, "tiny" runs on the CPU.
// Of fifty agents 22 write, 14 code and 14 classify, and so do fewer in proportion; every 5, 15 and
// 30 minutes, hourly, every few hours and daily; most of them on round minutes, where everybody's
// cron jobs are.
Fleet generate_fleet(int agents, Random random);

// The same fleet with odd corners: models of any size, few slots, short waits and time-outs, every
// overlap and catch-up, limits that are reached.
void make_odd(Fleet& fleet, Random random);

// Gives models whose needs are unknown a size. Returns: a line for each, of what is assumed.
std::vector<std::string> assume_sizes(Fleet& fleet);

// One call of a run, in the order in which the run makes them.
struct CallShape {
    Tokens prompt;       // all of it
    Tokens fresh;        // what is not in a context that is kept
    Tokens completion;   // answer
    Millis think;        // before the call
    bool named = false;  // asks for a model by its name instead of leaving it to the task
    Tokens shared;       // of the prompt: kept once for all agents
    Tokens size() const { return prompt + completion - shared; }
};
struct RunShape {
    Millis start_up;  // from fork to running
    std::vector<CallShape> calls;
    Millis last_words;  // after the last answer
    int exit_code = 0;
    std::optional<Millis> first_wait;  // for the first call; later ones wait as the agent does
    bool gives_up = false;             // ends when a call is refused
};
// Between 1 and 20 calls, 2.6 on average: a tool loop with gaps of mostly 0.5 to 4 s.
RunShape draw_run(Random& random);

// What the runs of one agent were like on average.
struct Habit {
    int64_t calls_permille = 1000;     // calls of a run, in 1/1000
    Tokens first_prompt, first_fresh;  // of its first call, and what of that was in no context
    Tokens growth, later_fresh;        // the same of what each later call adds
    Tokens completion;
    Millis gap;  // from an answer to the next call
    friend bool operator==(const Habit&, const Habit&) = default;
};
// A run of such an agent: each number within a half of its mean, at most 20 calls.
RunShape draw_run(Random& random, const Habit& habit);

// Reading the weights at 600 MiB/s, and a second for the context, unless it was measured.
Millis load_time(const ModelSpec& model, const Hardware& hardware);

}  // namespace hotdesk::sim
