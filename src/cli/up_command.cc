// SPDX-License-Identifier: MIT
#include "cli/up_command.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/exit_code.h"
#include "cli/load_fleet.h"
#include "cli/report.h"
#include "daemon/serve.h"

namespace hotdesk {
namespace {

struct Typed {
    std::string config;
    int time_lapse = 1;
};

// One event, one line, on stderr; under systemd the journal has the time already.
void begin_log(const std::string& level) {
    auto logger = spdlog::stderr_logger_mt("hotdesk");
    bool is_timed_elsewhere = std::getenv("JOURNAL_STREAM") != nullptr;
    logger->set_pattern(is_timed_elsewhere ? "%l %v" : "%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger->set_level(spdlog::level::from_str(level));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
}

int refuse(const Error& error) {
    if (error.code != Code::kInvalid) return report(error);
    fmt::print(stderr, "{}\n", error.message);
    return to_int(ExitCode::kBadConfig);
}

int up(const Typed& typed) {
    auto loaded = load_fleet(typed.config);
    if (!loaded) return refuse(loaded.error());
    begin_log(loaded->config.log.level);
    auto read_again = [config = typed.config] { return load_fleet(config); };
    Status served = serve({.config = std::move(loaded->config),
                           .fleet = std::move(loaded->fleet),
                           .read_again = read_again,
                           .program_dir = program_directory(),
                           .wall_rate = typed.time_lapse});
    return served ? to_int(ExitCode::kOk) : report(served.error());
}

}  // namespace

int up_command(std::span<const std::string> args) {
    Typed typed;
    CLI::App app("The daemon, in the foreground.", "hotdesk up");
    app.add_option("--config", typed.config, "the config (default: see `hotdesk config check`)");
    app.add_option("--time-lapse", typed.time_lapse,
                   "let schedules run N times faster than the clock, to watch a day in a minute")
        ->check(CLI::Range(1, 10'000));
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    try {
        app.parse(reversed);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        app.exit(error);
        return to_int(ExitCode::kUsage);
    }
    return up(typed);
}

}  // namespace hotdesk
