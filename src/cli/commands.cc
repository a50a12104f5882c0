// SPDX-License-Identifier: MIT
#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "cli/config_command.h"
#include "cli/demo_command.h"
#include "cli/exit_code.h"
#include "cli/init_command.h"
#include "cli/lease_command.h"
#include "cli/replay_command.h"
#include "cli/simulate_command.h"
#include "cli/up_command.h"

namespace hotdesk {
namespace {

struct Command {
    std::string_view name;
    std::string_view summary;
    int (*function)(std::span<const std::string>);
};

// In the order of --help: to begin, to look, to act, to understand.
constexpr Command kCommands[] = {
    {"up", "the daemon, in the foreground", up_command},
    {"demo", "fifty agents on a miniature desk, in a minute", demo_command},
    {"init", "write a commented hotdesk.toml for this machine", init_command},
    {"config", "check|show|doc: what the config says and may say", config_command},
    {"status", "the daemon in four lines", status_command},
    {"ps", "runs and calls that are going on", ps_command},
    {"top", "the same, and the models, live", top_command},
    {"agents", "schedules, next firings and last runs", agents_command},
    {"runs", "what ran, what was skipped, and how it ended", runs_command},
    {"logs", "AGENT|RUN [-f]: the output of a run", logs_command},
    {"queue", "calls, their places and what they wait for", queue_command},
    {"models", "what is loaded, loading or unusable", models_command},
    {"desks", "the lease and the memory of the desk", desks_command},
    {"run", "AGENT [--wait]: run it now", run_agent_command},
    {"stop", "RUN: end it", stop_command},
    {"pause", "[AGENT]: start no more runs", pause_command},
    {"resume", "[AGENT]: start them again", resume_command},
    {"evict", "MODEL: unload it when no call runs on it", evict_command},
    {"drain", "finish what runs, then end the daemon", drain_command},
    {"reload", "read the config again", reload_command},
    {"lease", "run|show|break: the desk's lock, with or without a daemon", lease_command},
    {"why", "RUN|CALL|AGENT|MODEL: what was decided, and why", why_command},
    {"simulate", "your fleet for a day or a year, in seconds", simulate_command},
    {"replay", "FILE: decide again from a journal", replay_command},
};

void print_help(std::FILE* to) {
    fmt::print(to, "usage: hotdesk COMMAND [...]\n\n");
    for (const Command& command : kCommands)
        fmt::print(to, "  {:<9} {}\n", command.name, command.summary);
    fmt::print(to,
               "\nAll commands take --json. $HOTDESK_CONFIG names the config, $HOTDESK_SOCKET the "
               "daemon's\n"
               "socket. Exit codes are in doc/cli.md.\n");
}

int unknown_command(const std::string& name) {
    std::vector<std::string> names;
    for (const Command& command : kCommands) names.emplace_back(command.name);
    const std::string near = nearest(name, names);
    fmt::print(stderr, "hotdesk: there is no command {}{}; see hotdesk --help\n", name,
               near.empty() ? "" : fmt::format(": did you mean {}?", near));
    return to_int(ExitCode::kUsage);
}

}  // namespace

int run_command(std::span<const std::string> args) {
    const std::string name = args.empty() ? "" : args[0];
    if (name == "--help" || name == "-h" || name == "help")
        return print_help(stdout), to_int(ExitCode::kOk);
    if (name == "--version") return fmt::print("hotdesk {}\n", version()), to_int(ExitCode::kOk);
    if (name.empty()) return print_help(stderr), to_int(ExitCode::kUsage);
    const auto* const command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                             [&](const Command& c) { return c.name == name; });
    return command == std::end(kCommands) ? unknown_command(name)
                                          : command->function(args.subspan(1));
}

}  // namespace hotdesk
