// SPDX-License-Identifier: MIT
#include "cli/demo_naive.h"

#include <fmt/format.h>
#include <poll.h>

#include <fstream>
#include <map>
#include <vector>

#include "cli/demo_daemon.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/run_log.h"

namespace hotdesk::demo {
namespace {

// What each agent asks: as long as the first call of scenarios/demo/agent.py.
constexpr const char* kRequest =
    R"({"messages":[{"role":"system","content":"You are an agent. Be brief."},)"
    R"({"role":"user","content":"Write the daily report for the mail server."}],)"
    R"("max_tokens":16,"temperature":0})";

// hotdesk-worker's exit code when the device, or RAM, has no room for the model.
constexpr int kOutOfMemory = 73;

const DemoModel& model_of(const DemoAgent& agent) {
    for (const DemoModel& model : models())
        if (std::string_view(model.name) == agent.model) return model;
    return models().front();
}

ChildSpec child_of(const Places& places, const DemoAgent& agent, const std::string& request) {
    const DemoModel& model = model_of(agent);
    ChildSpec spec;
    // The shell gives the worker its standard input and becomes it.
    spec.command = {"sh",
                    "-c",
                    "exec \"$@\" < \"$0\"",
                    request,
                    places.programs + "/hotdesk-worker",
                    "--once",
                    "--model",
                    model_path(places, model),
                    "--ctx",
                    "4096",
                    "--device",
                    model.on_desk ? "auto" : "none",
                    "--gpu-layers",
                    model.on_desk ? "all" : "0"};
    if (model.on_desk) spec.command.insert(spec.command.end(), {"--backend", places.backend()});
    spec.env = device_env(places.directory + "/naive-ledger");
    spec.marker = "naive:" + agent.name;
    return spec;
}

void count(NaiveResult& result, int exit_code) {
    if (exit_code == 0)
        ++result.runs_done;
    else if (exit_code == kOutOfMemory)
        ++result.oom;
    else
        ++result.failed;
}

// Takes those that have ended out of `running`.
Status collect(std::vector<Child>& running, RunLog& log, NaiveResult& result) {
    for (auto it = running.begin(); it != running.end();) {
        copy_output(it->output, log);
        HD_TRY(auto code, reap(*it));
        if (code) count(result, *code);
        it = code ? running.erase(it) : std::next(it);
    }
    return {};
}

}  // namespace

Result<NaiveResult> run_naive(const Places& places,
                              const std::function<void(const NaiveResult&)>& progress) {
    std::string request = places.directory + "/naive-request.json";
    std::ofstream(request) << kRequest;
    HD_TRY(RunLog log, RunLog::create(places.directory + "/naive.log"));
    Instant began = monotonic_now();
    std::vector<Child> running;
    for (const DemoAgent& agent : agents()) {
        HD_TRY(Child child, start_child(child_of(places, agent, request)));
        running.push_back(std::move(child));
    }
    NaiveResult result;
    while (!running.empty()) {
        std::vector<pollfd> ends;
        for (const Child& child : running) ends.push_back({child.pidfd.get(), POLLIN, 0});
        ::poll(ends.data(), ends.size(), 250);
        HD_TRY_VOID(collect(running, log, result));
        progress(result);
    }
    result.wall = monotonic_now() - began;
    return result;
}

}  // namespace hotdesk::demo
