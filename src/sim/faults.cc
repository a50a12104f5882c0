// SPDX-License-Identifier: MIT
#include "sim/faults.h"

#include <fmt/format.h>

#include <optional>

namespace hotdesk::sim {
namespace {

std::optional<Fault> named(std::string_view word) {
    for (int i = 0; i < kFaultCount; ++i)
        if (to_string(static_cast<Fault>(i)) == word) return static_cast<Fault>(i);
    return std::nullopt;
}

Faults all() {
    Faults faults;
    for (int i = 0; i < kFaultCount; ++i) faults.add(static_cast<Fault>(i));
    return faults;
}

}  // namespace

std::string_view to_string(Fault fault) {
    switch (fault) {
        case Fault::kWorkerCrash: return "worker_crash";
        case Fault::kLoadCrash: return "load_crash";
        case Fault::kSlowLoad: return "slow_load";
        case Fault::kStubbornRun: return "stubborn_run";
        case Fault::kClientHangup: return "client_hangup";
        case Fault::kStranger: return "stranger";
        case Fault::kForeignMemory: return "foreign_memory";
        case Fault::kClockJump: return "clock_jump";
        case Fault::kDaemonRestart: return "daemon_restart";
        case Fault::kProbeUnknown: return "probe_unknown";
        case Fault::kProbeLag: return "probe_lag";
        case Fault::kReload: return "reload";
        case Fault::kOperator: return "operator";
        case Fault::kOddFleet: return "odd_fleet";
    }
    return "";
}

std::string to_string(const Faults& faults) {
    std::string out;
    for (int i = 0; i < kFaultCount; ++i) {
        if (!faults.has(static_cast<Fault>(i))) continue;
        if (!out.empty()) out += ',';
        out += to_string(static_cast<Fault>(i));
    }
    return out.empty() ? "none" : out;
}

Result<Faults> parse_faults(std::string_view text) {
    if (text == "all") return all();
    Faults faults;
    if (text == "none") return faults;
    while (!text.empty()) {
        std::string_view word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        auto fault = named(word);
        if (!fault)
            return fail(Code::kInvalid, fmt::format("no fault is called \"{}\"; there are: {}",
                                                    word, to_string(all())));
        faults.add(*fault);
    }
    return faults;
}

}  // namespace hotdesk::sim
