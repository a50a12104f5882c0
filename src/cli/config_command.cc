// SPDX-License-Identifier: MIT
#include "cli/config_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/exit_code.h"
#include "cli/load_fleet.h"
#include "config/config_file.h"
#include "config/render.h"

namespace hotdesk {
namespace {

struct Typed {
    std::string file;
    bool is_json = false;
};

// A file that is not there is no error of the config, but worth a word before the daemon says it.
std::vector<std::string> missing_files(const Config& config) {
    std::vector<std::string> notes;
    std::error_code ec;
    for (const auto& model : config.models)
        if (!std::filesystem::exists(model.file, ec))
            notes.push_back(fmt::format("model {}: there is no file {}", model.name, model.file));
    return notes;
}

ExitCode exit_code_of(const Error& error) {
    return error.code == Code::kInvalid ? ExitCode::kBadConfig : exit_code_for(error.code);
}

int refuse(const Error& error) {
    fmt::print(stderr, "{}\n", error.message);
    return to_int(exit_code_of(error));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

void print_json(const nlohmann::ordered_json& object) {
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int check_json(const std::string& file, const Result<LoadedFleet>& result) {
    const auto errors = result ? std::vector<std::string>() : lines_of(result.error().message);
    const auto notes = result ? missing_files(result->config) : std::vector<std::string>();
    print_json({{"schema", 1},
                {"file", file},
                {"ok", result.has_value()},
                {"errors", errors},
                {"notes", notes}});
    return to_int(result ? ExitCode::kOk : exit_code_of(result.error()));
}

int check(const Typed& typed) {
    const auto file = find_config(typed.file, process_environment);
    if (!file) return refuse(file.error());
    const auto result = load_fleet(*file);
    if (typed.is_json) return check_json(*file, result);
    if (!result) return refuse(result.error());
    for (const auto& note : missing_files(result->config)) fmt::print(stderr, "note: {}\n", note);
    fmt::print("{}: right: {} agents, {} models, {} tasks\n", *file, result->fleet.agents.size(),
               result->fleet.models.size(), result->fleet.tasks.size());
    return to_int(ExitCode::kOk);
}

int show(const Typed& typed) {
    const auto file = find_config(typed.file, process_environment);
    if (!file) return refuse(file.error());
    const auto result = load_fleet(*file);
    if (!result) return refuse(result.error());
    fmt::print("{}\n", typed.is_json ? config_json(result->config) : config_toml(result->config));
    return to_int(ExitCode::kOk);
}

CLI::App* add_command(CLI::App& config, Typed& typed, const std::string& name,
                      const std::string& what) {
    CLI::App* const command = config.add_subcommand(name, what);
    command->add_option("file,--config", typed.file,
                        "The config (default: the one that `hotdesk up` takes)");
    command->add_flag("--json", typed.is_json, "Print JSON");
    return command;
}

}  // namespace

int config_command(std::span<const std::string> args) {
    Typed typed;
    CLI::App config("The config: check it, show it, document it", "hotdesk config");
    config.require_subcommand(1);
    const CLI::App* const checking =
        add_command(config, typed, "check", "List everything that is wrong");
    const CLI::App* const showing =
        add_command(config, typed, "show", "Print it with its defaults, secrets left out");
    config.add_subcommand("doc", "Print doc/config.md");
    std::vector<std::string> words(args.rbegin(), args.rend());  // CLI11 takes them from the back
    try {
        config.parse(words);
    } catch (const CLI::CallForHelp& help) {
        return config.exit(help);
    } catch (const CLI::ParseError& wrong) {
        fmt::print(stderr, "hotdesk: {}\nTry 'hotdesk config --help'.\n", wrong.what());
        return to_int(ExitCode::kUsage);
    }
    if (checking->parsed()) return check(typed);
    if (showing->parsed()) return show(typed);
    fmt::print("{}", config_doc());
    return to_int(ExitCode::kOk);
}

}  // namespace hotdesk
