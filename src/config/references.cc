// SPDX-License-Identifier: MIT
#include "config/references.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/text.h"
#include "config/value_checks.h"

namespace hotdesk {
namespace {

std::string hint(const std::string& name, const std::vector<std::string>& known) {
    if (known.empty()) return "";
    const std::string near = nearest(name, known);
    if (!near.empty()) return fmt::format(": did you mean \"{}\"?", near);
    return fmt::format(": known are {}", fmt::join(known, ", "));
}

// Names that were taken, by whom, in one space of names.
class Names {
  public:
    Names(std::string what, std::vector<Problem>& problems)
        : what_(std::move(what)), problems_(problems) {}

    void add(const std::string& name, const FilePlace& at) {
        if (name.empty()) return;  // said already
        const auto [taken, is_new] = taken_.emplace(name, at);
        if (!is_new)
            problems_.push_back({at, fmt::format("{} \"{}\" is there already, at {}:{}", what_,
                                                 name, taken->second.file, taken->second.line)});
    }
    bool has(const std::string& name) const { return taken_.count(name) != 0; }
    std::vector<std::string> all() const {
        std::vector<std::string> names;
        for (const auto& [name, at] : taken_) names.push_back(name);
        return names;
    }

  private:
    std::string what_;
    std::vector<Problem>& problems_;
    std::map<std::string, FilePlace> taken_;
};

void check_listen_token(const Config& config, std::vector<Problem>& problems) {
    if (!config.server.token_file.empty()) return;
    for (const auto& address : config.server.listen)
        if (check_listen(address) && !is_loopback(address))
            problems.push_back(
                {{config.file, 0, 0},
                 fmt::format("server.listen: \"{}\" can be reached from other machines: "
                             "it needs a server.token_file",
                             address)});
}

void check_tasks(const Config& config, const Names& models, Names& tasks,
                 std::vector<Problem>& problems) {
    for (const auto& task : config.tasks) {
        tasks.add(task.name, task.at);
        for (const auto& model : task.models)
            if (!models.has(model))
                problems.push_back(
                    {task.at, fmt::format("task \"{}\": there is no model \"{}\"{}", task.name,
                                          model, hint(model, models.all()))});
    }
}

void check_agents(const Config& config, const Names& tasks, std::vector<Problem>& problems) {
    Names agents("agent", problems);
    for (const auto& agent : config.agents) {
        agents.add(agent.name, agent.at);
        if (!agent.task.empty() && !tasks.has(agent.task))
            problems.push_back(
                {agent.at, fmt::format("agent \"{}\": there is no task \"{}\"{}", agent.name,
                                       agent.task, hint(agent.task, tasks.all()))});
        if (!agent.command.empty() && agent.command.front().empty())
            problems.push_back(
                {agent.at,
                 fmt::format("agent \"{}\": the command's program is empty", agent.name)});
    }
}

}  // namespace

void check_references(const Config& config, std::vector<Problem>& problems) {
    check_listen_token(config, problems);
    // Clients name a model and an alias in one field, so they share one space of names.
    Names models("model name or alias", problems);
    for (const auto& model : config.models) models.add(model.name, model.at);
    Names clients = models;
    for (const auto& model : config.models)
        for (const auto& alias : model.aliases) clients.add(alias, model.at);
    Names tasks("task", problems);
    check_tasks(config, models, tasks, problems);
    check_agents(config, tasks, problems);
}

}  // namespace hotdesk
