// SPDX-License-Identifier: MIT
#include "os/ticket.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

namespace hotdesk {
namespace {

using Json = nlohmann::json;
constexpr size_t kNameDigits = 12;

template <class Unit, class Member>
Json number_or_null(const std::optional<Unit>& value, Member member) {
    return value ? Json((*value).*member) : Json();
}

std::optional<int64_t> optional_number(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return std::nullopt;
    return found->get<int64_t>();
}

std::optional<Millis> optional_millis(const Json& object, const char* key) {
    const auto value = optional_number(object, key);
    return value ? std::optional(Millis{*value}) : std::nullopt;
}

std::optional<Tenure> tenure_of(const Json& object) {
    const auto since = optional_number(object, "held_since_ms");
    if (!since) return std::nullopt;
    const auto deadline = optional_number(object, "deadline_monotonic_ms");
    return Tenure{Wall{*since}, optional_millis(object, "hold_max_ms"),
                  deadline ? std::optional(Instant{*deadline}) : std::nullopt,
                  optional_millis(object, "hold_grace_ms").value_or(kHoldGrace)};
}

std::optional<JobSession> session_of(const Json& object) {
    const auto leader = optional_number(object, "session");
    if (!leader) return std::nullopt;
    return JobSession{static_cast<pid_t>(*leader), object.at("session_start_time").get<uint64_t>()};
}

// Throws what nlohmann throws on a missing key or a wrong type.
Ticket ticket_of(const Json& object) {
    Ticket ticket;
    ticket.holder = {object.at("boot_id").get<std::string>(), object.at("pid").get<pid_t>(),
                     object.at("start_time").get<uint64_t>(), object.at("pid_ns").get<uint64_t>()};
    ticket.nonce = object.at("nonce").get<std::string>();
    ticket.what = object.at("what").get<std::string>();
    ticket.queued_at = Wall{object.at("since_ms").get<int64_t>()};
    ticket.wait_max = optional_millis(object, "wait_max_ms");
    ticket.tenure = tenure_of(object);
    ticket.session = session_of(object);
    return ticket;
}

}  // namespace

std::string file_name(TicketNumber number) {
    return fmt::format("{:012}", number.value);
}

Result<TicketNumber> parse_file_name(std::string_view name) {
    TicketNumber number;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, number.value);
    if (name.size() < kNameDigits || parsed.ec != std::errc() || parsed.ptr != end)
        return fail(Code::kInvalid, fmt::format("'{}' is not the name of a ticket", name));
    return number;
}

std::string encode(const Ticket& ticket) {
    const auto& [boot_id, pid, start_ticks, pid_namespace] = ticket.holder;
    Json object{{"schema", 1},
                {"boot_id", boot_id},
                {"pid", pid},
                {"start_time", start_ticks},
                {"pid_ns", pid_namespace},
                {"nonce", ticket.nonce},
                {"what", ticket.what},
                {"since_ms", ticket.queued_at.ms},
                {"wait_max_ms", number_or_null(ticket.wait_max, &Millis::value)}};
    if (const auto& tenure = ticket.tenure) {
        object["held_since_ms"] = tenure->since.ms;
        object["hold_max_ms"] = number_or_null(tenure->hold_max, &Millis::value);
        object["deadline_monotonic_ms"] = number_or_null(tenure->deadline, &Instant::ms);
        object["hold_grace_ms"] = tenure->grace.value;
    }
    if (const auto& session = ticket.session) {
        object["session"] = session->leader;
        object["session_start_time"] = session->start_ticks;
    }
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Ticket> decode_ticket(std::string_view text) {
    try {
        return ticket_of(Json::parse(text));
    } catch (const Json::exception& wrong) {
        return fail(Code::kInvalid, fmt::format("not a ticket: {}", wrong.what()));
    }
}

std::string job_marker(std::string_view desk, TicketNumber number, std::string_view nonce) {
    return fmt::format("{}:{}:{}", desk, number.value, nonce);
}

std::string random_nonce() {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits)  // cannot fail for 8 bytes on Linux
        bits = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    return fmt::format("{:016x}", bits);
}

}  // namespace hotdesk
