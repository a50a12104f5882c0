// SPDX-License-Identifier: MIT
#pragma once
// What the demo shows: a line while it runs, a page or a JSON object at the end.

#include <string>

#include "base/units.h"
#include "cli/demo_naive.h"
#include "core/world.h"
#include "loop/tally.h"
#include "os/emulated_ledger.h"

namespace hotdesk::demo {

// One part of the demo, measured.
struct PartResult {
    Tally tally;
    Millis wall;
};

struct DemoResult {
    PartResult burst, day;
    EmulatedReading device;  // after both
    NaiveResult naive;
    Millis wall;
};

// Prints progress on stderr: redrawn on a terminal, a line every few seconds elsewhere.
class ProgressLine {
  public:
    ProgressLine();
    void show(const std::string& text);
    // Ends the line; what follows begins a new one.
    void finish(const std::string& text);

  private:
    bool is_terminal_;
    Instant next_;
};

// "37/50 done, 8 waiting · desk: writer (4 running) · loads 3", of a moment.
std::string progress_text(const State& state, const Tally& tally, int runs_expected);

void print_summary(const DemoResult& result);
void print_json_summary(const DemoResult& result);

// Whether it went as promised: every run done, never two heavy models, no failed allocation.
bool is_good(const DemoResult& result);

}  // namespace hotdesk::demo
