// SPDX-License-Identifier: MIT
#include "cli/replay_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/arguments.h"
#include "cli/report.h"
#include "loop/replay.h"

namespace hotdesk {
namespace {

struct Replayed {
    std::optional<ReplayDifference> first;
    int64_t cycles = 0;
    int64_t different = 0;
};

Result<Replayed> replay(const std::string& path) {
    std::ifstream in(path);
    if (!in) return fail(Code::kNotFound, fmt::format("cannot read {}", path));
    Replayer replayer;
    Replayed replayed;
    for (std::string line; std::getline(in, line);) {
        bool cut_off = in.eof();  // no newline: the daemon died, or the disk was full
        auto difference = replayer.feed_line(line);
        if (!difference && cut_off && replayer.cycles() > 0) break;
        if (!difference)
            return fail(Code::kInvalid,
                        fmt::format("{} is not a journal: {}", path, difference.error().message));
        if (*difference && replayed.different++ == 0) replayed.first = **difference;
    }
    replayed.cycles = replayer.cycles();
    if (replayed.cycles == 0)
        return fail(Code::kInvalid, fmt::format("{} is not a journal: it is empty", path));
    return replayed;
}

nlohmann::json to_json(const std::vector<Decision>& decisions) {
    auto list = nlohmann::json::array();
    for (const Decision& decision : decisions) list.push_back(to_json(decision));
    return list;
}

nlohmann::json to_json(const Replayed& replayed) {
    nlohmann::json out{
        {"schema", 1}, {"cycles", replayed.cycles}, {"different", replayed.different}};
    if (const auto& first = replayed.first)
        out["first"] = {{"cycle", first->cycle},
                        {"at_ms", first->at.ms},
                        {"expected", to_json(first->expected)},
                        {"got", to_json(first->got)}};
    return out;
}

void print_missing(char sign, const std::vector<Decision>& from, const std::vector<Decision>& in) {
    for (const Decision& decision : from)
        if (std::find(in.begin(), in.end(), decision) == in.end())
            fmt::print("  {} {}: {}\n", sign, to_json(decision).dump(), explain(decision.why));
}

void print_text(const Replayed& replayed) {
    if (!replayed.first) return fmt::print("{} cycles, all decided alike\n", replayed.cycles);
    const ReplayDifference& first = *replayed.first;
    fmt::print("{} of {} cycles are decided differently; the first is line {}, at {} ms\n",
               replayed.different, replayed.cycles, first.cycle, first.at.ms);
    fmt::print("(- as recorded, + as decided now)\n");
    print_missing('-', first.expected, first.got);
    print_missing('+', first.got, first.expected);
}

}  // namespace

int replay_command(std::span<const std::string> args) {
    auto typed = parse_arguments(
        args, {.usage = "hotdesk replay FILE [--json]", .names_min = 1, .names_max = 1});
    if (!typed) return report_usage(typed.error());
    auto replayed = replay(typed->names.front());
    if (!replayed) return report(replayed.error());
    if (typed->is_json)
        print_json(to_json(*replayed));
    else
        print_text(*replayed);
    return to_int(replayed->first ? ExitCode::kFailed : ExitCode::kOk);
}

}  // namespace hotdesk
