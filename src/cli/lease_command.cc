// SPDX-License-Identifier: MIT
#include "cli/lease_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/exit_code.h"

namespace hotdesk {
namespace {

// As typed; the durations are still text.
struct Typed {
    LeaseOptions options;
    std::string wait_max;
    std::string hold_max;
    std::string hold_grace;
};

void add_desk_options(CLI::App& command, Typed& typed) {
    command.add_option("--state-dir", typed.options.desk.state_dir,
                       "Where Hotdesk keeps its state (default: $HOTDESK_STATE_DIR, "
                       "$XDG_STATE_HOME/hotdesk or ~/.local/state/hotdesk)");
    command.add_option("--desk-dir", typed.options.desk.desk_dir,
                       "A directory of desks shared between users (default: $HOTDESK_DESK_DIR)");
}

CLI::App* add_run(CLI::App& lease, Typed& typed) {
    CLI::App* const run = lease.add_subcommand("run", "Run a command while holding the desk");
    add_desk_options(*run, typed);
    run->add_option("--desk", typed.options.desk.desk, "The desk to wait for")
        ->capture_default_str();
    run->add_option("--wait", typed.wait_max,
                    "Longest wait, as in 10m; then exit 75 (default: for ever)");
    run->add_option(
        "--max-hold", typed.hold_max,
        "Longest time at the desk, as in 2h; then the job is ended, exit 124 (default: for ever)");
    run->add_option("--grace", typed.hold_grace,
                    "How long the job may take to end then, before it is killed (default: 5s)");
    run->add_option("--for", typed.options.what,
                    "What for, told to those who wait (default: the command)");
    run->footer("The command follows --, as in: hotdesk lease run --wait 10m -- python3 train.py");
    return run;
}

CLI::App* add_show(CLI::App& lease, Typed& typed) {
    CLI::App* const show =
        lease.add_subcommand("show", "Show who holds a desk and who waits for it");
    add_desk_options(*show, typed);
    show->add_option("--desk", typed.options.desk.desk, "One desk only (default: all)");
    show->add_flag("--json", typed.options.is_json, "Print JSON");
    return show;
}

CLI::App* add_break(CLI::App& lease, Typed& typed) {
    CLI::App* const breaking =
        lease.add_subcommand("break", "End the holder of a desk and its job");
    add_desk_options(*breaking, typed);
    breaking->add_option("--desk", typed.options.desk.desk, "The desk to free")->required();
    breaking->add_flag("--force", typed.options.is_forced,
                       "Kill at once, and kill a holder that is no job");
    breaking->add_flag("--json", typed.options.is_json, "Print JSON");
    return breaking;
}

int usage(const std::string& message) {
    fmt::print(stderr, "hotdesk: {}\nTry 'hotdesk lease --help'.\n", message);
    return to_int(ExitCode::kUsage);
}

// Nothing typed means for ever. Errors: kInvalid.
Result<std::optional<Millis>> limit(const char* option, const std::string& typed) {
    if (typed.empty()) return std::nullopt;
    auto parsed = parse_duration(typed);
    if (!parsed) return fail(Code::kInvalid, fmt::format("{}: {}", option, parsed.error().message));
    return std::optional(*parsed);
}

int run(Typed& typed) {
    auto wait = limit("--wait", typed.wait_max);
    auto hold = limit("--max-hold", typed.hold_max);
    auto grace = limit("--grace", typed.hold_grace);
    if (!wait) return usage(wait.error().message);
    if (!hold) return usage(hold.error().message);
    if (!grace) return usage(grace.error().message);
    if (*hold && (*hold)->value == 0) return usage("--max-hold 0: a job needs some time");
    if (typed.options.command.empty()) return usage("no command: write it after --");
    if (typed.options.desk.desk.empty()) typed.options.desk.desk = "gpu0";
    typed.options.wait_max = *wait;
    typed.options.hold_max = *hold;
    typed.options.hold_grace = grace->value_or(kHoldGrace);
    return lease_run(typed.options);
}

}  // namespace

// Split at the first "--" by hand: CLI11 2.1 refuses a command that has options of its own.
int lease_command(std::span<const std::string> args) {
    Typed typed;
    const auto dashes = std::find(args.begin(), args.end(), "--");
    if (dashes != args.end()) typed.options.command.assign(dashes + 1, args.end());
    std::vector<std::string> words(args.begin(), dashes);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back

    CLI::App lease("One lock for every heavy user of a device", "hotdesk lease");
    lease.require_subcommand(1);
    const CLI::App* const running = add_run(lease, typed);
    const CLI::App* const showing = add_show(lease, typed);
    add_break(lease, typed);
    try {
        lease.parse(words);
    } catch (const CLI::CallForHelp& help) {
        return lease.exit(help);
    } catch (const CLI::ParseError& wrong) {
        return usage(wrong.what());
    }
    if (running->parsed()) return run(typed);
    if (showing->parsed()) return lease_show(typed.options);
    return lease_break(typed.options);
}

}  // namespace hotdesk
