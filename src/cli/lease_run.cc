// SPDX-License-Identifier: MIT
// `hotdesk lease run`: waits for the desk, then runs the command under it.

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/lease_command.h"
#include "os/desk_ticket.h"
#include "os/job_guard.h"

namespace hotdesk {
namespace {

using Clock = std::chrono::steady_clock;

// Errors with a word of their own keep it; the rest is "not started", as with docker-run(1).
int report(const Error& error) {
    fmt::print(stderr, "hotdesk: {}\n", error.message);
    switch (error.code) {
        case Code::kInvalid: return to_int(ExitCode::kUsage);
        case Code::kDenied:
        case Code::kNoSpace: return to_int(exit_code_for(error.code));
        case Code::kNotFound:
        case Code::kBusy:
        case Code::kTimeout:
        case Code::kUnavailable:
        case Code::kInternal: return to_int(ExitCode::kNotStarted);
    }
    return to_int(ExitCode::kNotStarted);
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

struct FoundCommand {
    ExitCode code = ExitCode::kNoCommand;  // kOk, kNotExecutable or kNoCommand
    std::string path;
};

// What a shell would run, looked for at once, so that nobody waits ten minutes for a typing error.
FoundCommand find_command(const std::string& name) {
    const auto look_at = [](const std::string& path) -> FoundCommand {
        std::error_code error;
        if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error))
            return {ExitCode::kOk, path};
        return {
            errno == ENOENT || errno == ENOTDIR ? ExitCode::kNoCommand : ExitCode::kNotExecutable,
            path};
    };
    if (name.find('/') != std::string::npos) return look_at(name);
    const char* const path = std::getenv("PATH");
    std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    FoundCommand found;
    while (found.code != ExitCode::kOk && !folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
        const FoundCommand seen =
            look_at(fmt::format("{}/{}", folder.empty() ? "." : folder, name));
        if (seen.code != ExitCode::kNoCommand) found = seen;
    }
    return found;
}

Millis since(Wall then) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Wall{std::chrono::duration_cast<std::chrono::milliseconds>(now).count()} - then;
}

// "gpu0: place 3 in line; held by pid 812 (python3 train.py) for 4 min 10 s"
void say_for_whom(const LeaseOptions& options, const DeskTicket& ticket) {
    const auto read = ticket.waiting_for();
    if (!read || !*read) return;
    const auto& [place, number, head] = **read;
    const auto verb = head.tenure ? "held" : "next";
    const Wall from = head.tenure ? head.tenure->since : head.queued_at;
    fmt::print(stderr, "hotdesk: waiting for {}: place {} in line; {} by pid {} ({}) for {}{}\n",
               options.desk.desk, place, verb, head.holder.pid, head.what,
               format_duration(std::max(since(from), Millis{0})),
               options.wait_max
                   ? fmt::format("; waiting at most {}", format_duration(*options.wait_max))
                   : "");
}

int give_up(const LeaseOptions& options, DeskTicket& ticket) {
    const auto read = ticket.waiting_for();
    const std::string holder =
        read && *read
            ? fmt::format(" by pid {} ({})", (*read)->ticket.holder.pid, (*read)->ticket.what)
            : "";
    ticket.give_back();
    fmt::print(stderr, "hotdesk: {} is still held{} after {}: skipped, try again later\n",
               options.desk.desk, holder, format_duration(*options.wait_max));
    return to_int(ExitCode::kTryLater);
}

// -1 without a limit; never less than 0.
int left_ms(const std::optional<Clock::time_point>& end) {
    if (!end) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
}

// 0 once the desk is ours, else the exit code.
int wait_for_desk(const LeaseOptions& options, DeskTicket& ticket, const Signals& signals) {
    std::optional<Clock::time_point> end;
    if (options.wait_max) end = Clock::now() + std::chrono::milliseconds(options.wait_max->value);
    for (bool is_first = true;; is_first = false) {
        const auto granted = ticket.poll_granted();
        if (!granted) return report(granted.error());
        if (*granted) return 0;
        if (left_ms(end) == 0) return give_up(options, ticket);
        if (is_first) say_for_whom(options, ticket);
        pollfd watched[2] = {{ticket.watch_fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}};
        poll(watched, 2, left_ms(end));
        const int signal = signals.next();
        if (signal != 0 && signal != SIGCHLD) return 128 + signal;
    }
}

// A job that asks for the desk it runs under: the command is part of that job.
int run_under_same_lease(const LeaseOptions& options, const std::string& program) {
    fmt::print(stderr, "hotdesk: {} is ours already: running under the same lease\n",
               options.desk.desk);
    std::vector<char*> words;
    for (const std::string& word : options.command)
        words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(program.c_str(), words.data());
    fmt::print(stderr, "hotdesk: cannot run {}: {}\n", options.command[0], std::strerror(errno));
    return to_int(ExitCode::kNotExecutable);
}

// In the guard: the turn from standing in line to the end of the job.
int take_turn(const LeaseOptions& options, const DeskPlace& place, const std::string& program,
              const Signals& signals, Runner& runner) {
    const std::string what = options.what.empty() ? joined(options.command) : options.what;
    auto ticket =
        DeskTicket::enqueue({place, what, options.wait_max, options.hold_max, options.hold_grace});
    if (!ticket) return report(ticket.error());
    if (const int code = wait_for_desk(options, *ticket, signals); code != 0) return code;
    return run_job(*ticket, {program, options.command}, signals, runner);
}

}  // namespace

int lease_run(const LeaseOptions& options) {
    const FoundCommand found = find_command(options.command[0]);
    if (found.code != ExitCode::kOk) {
        fmt::print(stderr, "hotdesk: {}: {}\n", options.command[0],
                   found.code == ExitCode::kNoCommand ? "command not found" : "cannot be executed");
        return to_int(found.code);
    }
    const auto place = desk_place(options.desk);
    if (!place) return report(place.error());
    if (is_under_lease(*place)) return run_under_same_lease(options, found.path);
    const auto signals = Signals::take();
    if (!signals) return report(signals.error());
    signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error with a message
    signal(SIGPIPE, SIG_IGN);
    const auto code = with_guard(*signals, [&](Runner& runner) {
        return take_turn(options, *place, found.path, *signals, runner);
    });
    return code ? *code : report(code.error());
}

}  // namespace hotdesk
