// SPDX-License-Identifier: MIT
// `hotdesk lease show` and `hotdesk lease break`: who stands in line, and ending who holds it.

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/lease_command.h"
#include "os/desk_ticket.h"
#include "os/job_session.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

struct InLine {
    TicketNumber number;
    Ticket ticket;
    Life life = Life::kUnknown;
};

struct DeskView {
    std::string desk;
    std::vector<InLine> line;  // the holder first
};

int report(const Error& error) {
    fmt::print(stderr, "hotdesk: {}\n", error.message);
    return to_int(exit_code_for(error.code));
}

int64_t wall_now_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

int64_t monotonic_now_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Millis since(Wall then) {
    return {std::max<int64_t>(wall_now_ms() - then.ms, 0)};
}

const char* word(Life life) {
    switch (life) {
        case Life::kAlive: return "alive";
        case Life::kStopped: return "stopped";
        case Life::kDead: return "dead";
        case Life::kUnknown: return "unknown";
    }
    return "unknown";
}

Result<DeskView> view(const DeskPlace& place) {
    HD_TRY(const DeskLine line, DeskLine::open(place));
    HD_TRY(const auto numbers, line.numbers());
    DeskView seen{place.desk, {}};
    for (const TicketNumber number : numbers) {
        auto ticket = line.read(number);
        if (!ticket || !*ticket) continue;
        const Life life = life_of((*ticket)->holder);
        seen.line.push_back({number, std::move(**ticket), life});
    }
    return seen;
}

// The desk that was named, or every desk there is.
std::vector<std::string> desks_in(const DeskPlace& place) {
    if (!place.desk.empty()) return {place.desk};
    std::vector<std::string> desks;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(place.directory, error))
        if (entry.is_directory(error)) desks.push_back(entry.path().filename().string());
    std::sort(desks.begin(), desks.end());
    return desks;
}

std::optional<Millis> time_left(const Ticket& ticket) {
    if (!ticket.tenure || !ticket.tenure->deadline) return std::nullopt;
    return Millis{ticket.tenure->deadline->ms - monotonic_now_ms()};
}

Json to_json(const InLine& entry, int place) {
    const Ticket& ticket = entry.ticket;
    const auto left = time_left(ticket);
    const Wall held_since = ticket.tenure ? ticket.tenure->since : Wall{};
    const Millis waited = ticket.tenure ? held_since - ticket.queued_at : since(ticket.queued_at);
    return {{"place", place},
            {"ticket", entry.number.value},
            {"state", ticket.tenure ? "holds" : "waits"},
            {"process", word(entry.life)},
            {"pid", ticket.holder.pid},
            {"uid", ticket.owner},
            {"session", ticket.session ? Json(ticket.session->leader) : Json()},
            {"what", ticket.what},
            {"since_ms", ticket.queued_at.ms},
            {"waited_ms", waited.value},
            {"wait_max_ms", ticket.wait_max ? Json(ticket.wait_max->value) : Json()},
            {"held_since_ms", ticket.tenure ? Json(held_since.ms) : Json()},
            {"deadline_ms", left ? Json(wall_now_ms() + left->value) : Json()}};
}

Json to_json(const DeskView& seen) {
    Json line = Json::array();
    for (const InLine& entry : seen.line)
        line.push_back(to_json(entry, static_cast<int>(line.size()) + 1));
    return {{"desk", seen.desk}, {"line", std::move(line)}};
}

std::string deadline_text(const Ticket& ticket) {
    const auto left = time_left(ticket);
    if (!left) return "-";
    return left->value > 0 ? format_duration(*left) : "overdue";
}

void print(const DeskView& seen) {
    if (seen.line.empty()) return fmt::print("{} is free\n", seen.desk);
    fmt::print("{:<8} {:>5} {:<6} {:>8} {:<8} {:<14} {:<14} {}\n", "DESK", "PLACE", "STATE", "PID",
               "PROCESS", "SINCE", "LEFT", "WHAT");
    int place = 0;
    for (const InLine& entry : seen.line) {
        const Ticket& ticket = entry.ticket;
        const Wall from = ticket.tenure ? ticket.tenure->since : ticket.queued_at;
        fmt::print("{:<8} {:>5} {:<6} {:>8} {:<8} {:<14} {:<14} {}\n", seen.desk, ++place,
                   ticket.tenure ? "holds" : "waits", ticket.holder.pid, word(entry.life),
                   format_duration(since(from)), deadline_text(ticket), ticket.what);
    }
}

std::string dumped(const Json& object) {
    return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

// The first that holds the desk and has not died.
const InLine* holder_of(const DeskView& seen) {
    for (const InLine& entry : seen.line)
        if (entry.ticket.tenure && entry.life != Life::kDead) return &entry;
    return nullptr;
}

bool ends_within(const Fd& pidfd, Millis limit) {
    pollfd watched{pidfd.get(), POLLIN, 0};
    return poll(&watched, 1, static_cast<int>(limit.value)) > 0;
}

// Asks first (the guard passes SIGTERM on to its job), then kills; and then what is left of the
// job.
Status end(const DeskPlace& place, const InLine& holder, bool at_once) {
    auto pidfd = watch_process(holder.ticket.holder);
    if (!pidfd && pidfd.error().code != Code::kNotFound) return tl::unexpected(pidfd.error());
    if (pidfd && !at_once) {
        HD_TRY_VOID(signal_process(*pidfd, SIGTERM));
        at_once = ends_within(*pidfd, kHoldGrace);
    }
    if (pidfd && !has_ended(*pidfd)) {
        HD_TRY_VOID(signal_process(*pidfd, SIGKILL));
        if (!ends_within(*pidfd, kHoldGrace))
            return fail(Code::kTimeout, fmt::format("pid {} does not die: it hangs in the kernel",
                                                    holder.ticket.holder.pid));
    }
    const auto marker = job_marker(place.desk, holder.number, holder.ticket.nonce);
    HD_TRY_VOID(end_leftovers(trace_of(holder.ticket, marker, true), kHoldGrace));
    HD_TRY(const DeskLine line, DeskLine::open(place));
    return line.remove(holder.number);
}

}  // namespace

int lease_show(const LeaseOptions& options) {
    auto place = desk_place(options.desk);
    if (!place) return report(place.error());
    Json desks = Json::array();
    std::vector<DeskView> views;
    for (const std::string& desk : desks_in(*place)) {
        place->desk = desk;
        auto seen = view(*place);
        if (!seen) return report(seen.error());
        desks.push_back(to_json(*seen));
        views.push_back(std::move(*seen));
    }
    if (options.is_json) {
        fmt::print("{}\n", dumped({{"schema", 1}, {"desks", desks}}));
        return to_int(ExitCode::kOk);
    }
    if (views.empty()) fmt::print("no desk has been used yet in {}\n", place->directory);
    for (const DeskView& seen : views) print(seen);
    return to_int(ExitCode::kOk);
}

int lease_break(const LeaseOptions& options) {
    const auto place = desk_place(options.desk);
    if (!place) return report(place.error());
    const auto seen = view(*place);
    if (!seen) return report(seen.error());
    const InLine* const holder = holder_of(*seen);
    if (holder == nullptr) {
        fmt::print("{}\n", options.is_json
                               ? dumped({{"schema", 1}, {"desk", place->desk}, {"broke", nullptr}})
                               : fmt::format("nobody holds {}", place->desk));
        return to_int(ExitCode::kOk);
    }
    const Ticket& ticket = holder->ticket;
    if (!ticket.session && !options.is_forced)
        return report(
            {Code::kDenied, fmt::format("{} is held by pid {} ({}) itself, not by a job of "
                                        "`lease run`: --force kills that process",
                                        place->desk, ticket.holder.pid, ticket.what)});
    if (const auto ended = end(*place, *holder, options.is_forced); !ended)
        return report(ended.error());
    if (options.is_json)
        fmt::print("{}\n",
                   dumped({{"schema", 1}, {"desk", place->desk}, {"broke", to_json(*holder, 1)}}));
    else
        fmt::print("broke the lease of pid {} ({}) on {}, held for {}\n", ticket.holder.pid,
                   ticket.what, place->desk, format_duration(since(ticket.tenure->since)));
    return to_int(ExitCode::kOk);
}

}  // namespace hotdesk
