// SPDX-License-Identifier: MIT
#include "cli/demo_fleet.h"

#include <fmt/format.h>

namespace hotdesk::demo {
namespace {

struct Job {
    const char* job;
    const char* model;
    int agents;
    int runs_a_day;
};

constexpr Job kJobs[] = {
    {"triage", "clerk", 12, 4}, {"alerts", "clerk", 10, 3},      {"digest", "writer", 10, 2},
    {"report", "writer", 8, 1}, {"operator", "operator", 10, 2},
};

constexpr int firings_a_day() {
    int sum = 0;
    for (const Job& job : kJobs) sum += job.agents * job.runs_a_day;
    return sum;
}
static_assert(firings_a_day() == kFiringsADay);

// Spread over the day like a person would: round hours, some together.
std::string schedule_of(const Job& job, int index) {
    int first = (index * 5) % (24 / job.runs_a_day), minute = (index % 4) * 15;
    return job.runs_a_day == 1
               ? fmt::format("{} {} * * *", minute, first)
               : fmt::format("{} {}-23/{} * * *", minute, first, 24 / job.runs_a_day);
}

std::string model_text(const Places& places, const DemoModel& model) {
    return fmt::format(
        "[[model]]\nname = \"{}\"\nfile = \"{}\"\nplacement = \"{}\"\nctx = 4096\nslots = 4\n"
        "keep = \"10m\"\n\n",
        model.name, model_path(places, model), model.on_desk ? "desk" : "cpu");
}

std::string agent_text(const Places& places, const DemoAgent& agent, bool with_schedule) {
    return fmt::format(
        "[[agent]]\nname = \"{}\"\n{}command = [\"{}\", \"{}\", \"{}\", \"{}\"]\n"
        "task = \"{}\"\nwait = \"3m\"\ntimeout = \"2m\"\n\n",
        agent.name, with_schedule ? fmt::format("schedule = \"{}\"\n", agent.schedule) : "",
        places.python, places.agent_script, agent.job, "task:" + std::string(agent.job), agent.job);
}

}  // namespace

const std::vector<DemoModel>& models() {
    static const std::vector<DemoModel> list = {
        {"writer", "44MiB", true, 1}, {"operator", "48MiB", true, 2}, {"clerk", "8MiB", false, 3}};
    return list;
}

std::string model_path(const Places& places, const DemoModel& model) {
    return fmt::format("{}/{}-{}.gguf", places.models_dir, model.name, model.size);
}

std::vector<DemoAgent> agents() {
    std::vector<DemoAgent> list;
    for (const Job& job : kJobs)
        for (int i = 1; i <= job.agents; ++i)
            list.push_back(
                {fmt::format("{}-{:02}", job.job, i), job.job, job.model, schedule_of(job, i)});
    return list;
}

std::string config_text(const Places& places, bool with_schedules) {
    std::string text = fmt::format(
        "# Written by `hotdesk demo`.\n"
        "[server]\nlisten = [\"unix:{}\", \"127.0.0.1:0\"]\nstate_dir = \"{}\"\n\n"
        "[gpu]\ndevice = \"emulated:{}\"\nbudget = \"{}MiB\"\nreserve = \"0MiB\"\nbackends = "
        "[\"{}\"]\n\n"
        "[host]\nreserve = \"0MiB\"\n\n"
        "[fleet]\ntimezone = \"UTC\"\nstagger = \"0s\"\nlate_after = \"24h\"\n\n"
        "[queue]\ngate_age = \"3s\"\nhold = \"250ms\"\nlinger = \"500ms\"\npreload = \"0s\"\n\n",
        places.socket(), places.state(), places.ledger(), kDeskBytes.value >> 20, places.backend());
    for (const DemoModel& model : models()) text += model_text(places, model);
    for (const Job& job : kJobs)
        text += fmt::format("[[task]]\nname = \"{}\"\nmodels = [\"{}\"]\n\n", job.job, job.model);
    for (const DemoAgent& agent : agents()) text += agent_text(places, agent, with_schedules);
    return text;
}

}  // namespace hotdesk::demo
