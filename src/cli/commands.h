// SPDX-License-Identifier: MIT
#pragma once
// The commands of `hotdesk`: one table, from which the dispatch and --help are made. Each prints
// data on stdout and notices on stderr, and takes --json for one object with "schema": 1.

#include <span>
#include <string>

namespace hotdesk {

// `args` is what follows "hotdesk". Returns the exit code (cli/exit_code.h).
int run_command(std::span<const std::string> args);

// Questions (cli/show_commands.cc). `args` is what follows the command's name.
int status_command(std::span<const std::string> args);
int ps_command(std::span<const std::string> args);
int top_command(std::span<const std::string> args);
int agents_command(std::span<const std::string> args);
int models_command(std::span<const std::string> args);
int desks_command(std::span<const std::string> args);
int queue_command(std::span<const std::string> args);

// Questions that the history answers when no daemon does (cli/history_commands.cc).
int runs_command(std::span<const std::string> args);
int logs_command(std::span<const std::string> args);
int why_command(std::span<const std::string> args);

// Commands to the daemon (cli/control_commands.cc).
int run_agent_command(std::span<const std::string> args);
int stop_command(std::span<const std::string> args);
int pause_command(std::span<const std::string> args);
int resume_command(std::span<const std::string> args);
int drain_command(std::span<const std::string> args);
int evict_command(std::span<const std::string> args);
int reload_command(std::span<const std::string> args);

}  // namespace hotdesk
