// SPDX-License-Identifier: MIT
#pragma once
// The work of a simulated day: a fleet of N agents, what one run of an agent asks for, and how long
// an engine takes for it. The speeds are assumptions (a 7B model in 4 bits on a 6 GB card), not
// measurements; they are printed with every simulation.

#include <string>
#include <vector>

#include "core/spec.h"
#include "sim/random.h"

namespace hotdesk::sim {

// The machine that is simulated.
struct Hardware {
    Bytes device_total = gib(6);
    Bytes host_total = gib(16);
};

// Three models: "writer" and "coder" do not fit on a 6 GiB desk together, "tiny" runs on the CPU.
// Of fifty agents 22 write, 14 code and 14 classify; every 5, 15 and 30 minutes, hourly, every few
// hours and daily; most of them on round minutes, where everybody's cron jobs are.
Fleet generate_fleet(int agents, Random random);

// The same fleet with odd corners: models of any size, few slots, short waits and time-outs, every
// overlap and catch-up, limits that are reached.
void make_odd(Fleet& fleet, Random random);

// Gives models whose needs are unknown a size. Returns: a line for each, to be printed.
std::vector<std::string> assume_sizes(Fleet& fleet);

// One call of a run, in the order in which the run makes them.
struct CallShape {
    Tokens prompt;       // all of it
    Tokens fresh;        // what is not in the agent's context from the call before
    Tokens completion;   // answer
    Millis think;        // before the call
    bool named = false;  // asks for a model by its name instead of leaving it to the task
};
struct RunShape {
    Millis start_up;  // from fork to running
    std::vector<CallShape> calls;
    Millis last_words;  // after the last answer
    int exit_code = 0;
};
// Between 1 and 20 calls, 2.6 on average: a tool loop with gaps of mostly 0.5 to 4 s.
RunShape draw_run(Random& random);

// The time that a call takes in a worker that serves `running` calls, itself included. Prefill
// 1,200 tokens/s, a decode step of 20 + 6 b ms for b calls together; on the CPU half that speed.
struct CallTime {
    Millis to_first_token;
    Millis to_end;
};
CallTime call_time(const CallShape& call, Placement placement, int running);

// Reading the weights at 600 MiB/s, and a second for the context.
Millis load_time(const ModelSpec& model);

}  // namespace hotdesk::sim
