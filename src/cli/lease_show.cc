// SPDX-License-Identifier: MIT
// `hotdesk lease show`: who holds a desk and who stands in line for it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/lease_command.h"
#include "cli/lease_view.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

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

const char* word(Life life) {
    switch (life) {
        case Life::kAlive: return "alive";
        case Life::kStopped: return "stopped";
        case Life::kDead: return "dead";
        case Life::kUnknown: return "unknown";
    }
    return "unknown";
}

// The desk that was named, or every desk there is.
std::vector<std::string> desks_in(const DeskPlace& place) {
    if (!place.desk.empty()) return {place.desk};
    std::vector<std::string> desks;
    std::error_code error;
    std::filesystem::directory_iterator entry(place.directory, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        if (entry->is_directory(error)) desks.push_back(entry->path().filename().string());
    std::sort(desks.begin(), desks.end());
    return desks;
}

std::optional<Millis> time_left(const Ticket& ticket) {
    if (!ticket.tenure || !ticket.tenure->deadline) return std::nullopt;
    return Millis{ticket.tenure->deadline->ms - monotonic_now_ms()};
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
                   format_duration(time_since(from)), deadline_text(ticket), ticket.what);
    }
}

}  // namespace

Millis time_since(Wall then) {
    return {std::max<int64_t>(wall_now_ms() - then.ms, 0)};
}

Result<DeskView> view_desk(const DeskPlace& place) {
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

Json to_json(const InLine& entry, int place) {
    const Ticket& ticket = entry.ticket;
    const auto left = time_left(ticket);
    const Wall held_since = ticket.tenure ? ticket.tenure->since : Wall{};
    const Millis waited =
        ticket.tenure ? held_since - ticket.queued_at : time_since(ticket.queued_at);
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

std::string dumped(const Json& object) {
    return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

int lease_show(const LeaseOptions& options) {
    auto place = desk_place(options.desk);
    if (!place) return report(place.error());
    Json desks = Json::array();
    std::vector<DeskView> views;
    for (const std::string& desk : desks_in(*place)) {
        place->desk = desk;
        auto seen = view_desk(*place);
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

}  // namespace hotdesk
