// SPDX-License-Identifier: MIT
#pragma once
// The demo's fleet: fifty agents of five jobs, two heavy models that exclude each other on a desk
// of 96 MiB (6 GiB, one sixty-fourth), and a tiny one on the CPU. As a config file, so that the
// demo runs what a user would run.

#include <string>
#include <vector>

#include "base/units.h"

namespace hotdesk::demo {

inline constexpr Bytes kDeskBytes = mib(96);
inline constexpr int kAgents = 50;
// Enough to see the night, few enough for two cores in a time-lapse.
inline constexpr int kFiringsADay = 126;

// Where things are.
struct Places {
    std::string directory;   // of this demo run: config, state, ledger
    std::string models_dir;  // kept for the next time
    std::string programs;    // hotdesk, hotdesk-worker, hotdesk-mkmodel, libggml-emulated.so
    std::string agent_script;
    std::string python;  // the system's own: a version manager's shim takes longer than the agent

    std::string ledger() const { return directory + "/ledger"; }
    std::string state() const { return directory + "/state"; }
    std::string socket() const { return directory + "/hotdesk.sock"; }
    std::string backend() const { return programs + "/libggml-emulated.so"; }
};

struct DemoModel {
    const char* name;
    const char* size;  // of the file, as hotdesk-mkmodel takes it
    bool on_desk;
    int seed;
};
const std::vector<DemoModel>& models();
std::string model_path(const Places& places, const DemoModel& model);

struct DemoAgent {
    std::string name;
    const char* job;
    const char* model;
    std::string schedule;
};
std::vector<DemoAgent> agents();

// hotdesk.toml. Without schedules the agents run only when asked.
std::string config_text(const Places& places, bool with_schedules);

}  // namespace hotdesk::demo
