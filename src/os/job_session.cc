// SPDX-License-Identifier: MIT
#include "os/job_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace hotdesk {
namespace {

// A process in the middle of execve() has no environment for a moment (100 us, and longer when it
// loses the CPU there), so an empty one is read again before it is believed.
constexpr int kEmptyReadsMax = 5;
constexpr auto kEmptyReadPause = std::chrono::milliseconds(1);

// "" when it cannot be read.
std::string environment_of(pid_t pid) {
    const Fd file(open(fmt::format("/proc/{}/environ", pid).c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    if (!file) return text;
    std::string chunk(64 << 10, '\0');
    ssize_t n = 0;
    while ((n = read(file.get(), chunk.data(), chunk.size())) > 0)
        text.append(chunk, 0, static_cast<size_t>(n));
    return text;
}

// A marker stands between the start, a space or the end of the variable's value, and it ends in
// a random nonce: a plain search finds nobody else's.
bool carries(const ProcessStat& process, const std::string& marker) {
    constexpr pid_t kKernelThreads = 2;  // the parent of all of them; they have no environment
    if (process.parent == kKernelThreads) return false;
    std::string text = environment_of(process.pid);
    for (int reads = 1; text.empty() && reads < kEmptyReadsMax; ++reads) {
        std::this_thread::sleep_for(kEmptyReadPause);
        text = environment_of(process.pid);
    }
    return text.find(marker) != std::string::npos;
}

bool is_session_known(const JobTrace& trace) {
    if (!trace.session) return false;
    if (trace.is_fresh) return true;
    const auto leader = process_stat(trace.session->leader);
    return leader && leader->start_ticks == trace.session->start_ticks;
}

bool is_candidate(const JobTrace& trace, const ProcessStat& process) {
    return process.pid != getpid() && !process.has_ended() &&
           process.start_ticks >= trace.started_after;
}

}  // namespace

JobTrace trace_of(const Ticket& ticket, std::string marker, bool is_fresh) {
    return {std::move(marker), ticket.session, ticket.holder.start_ticks, ticket.owner, is_fresh};
}

std::vector<Fd> kill_leftovers(const JobTrace& trace) {
    const bool session_known = is_session_known(trace);
    std::vector<Fd> left;
    for (const ProcessStat& process : all_processes()) {
        if (!is_candidate(trace, process)) continue;
        const bool in_session = session_known && process.session == trace.session->leader;
        if (!in_session && !carries(process, trace.marker)) continue;
        ProcessIdentity identity{boot_id(), process.pid, process.start_ticks, 0};
        auto pidfd = watch_process(identity);
        if (!pidfd) continue;
        // Whoever shares a directory with us must not have us end a third person's process.
        if (trace.owner == 0 || trace.owner == process.uid)
            static_cast<void>(signal_process(*pidfd, SIGKILL));
        left.push_back(std::move(*pidfd));
    }
    return left;
}

Status end_leftovers(const JobTrace& trace, Millis limit) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(limit.value);
    for (;;) {
        const std::vector<Fd> left = kill_leftovers(trace);
        if (left.empty()) return {};
        for (const Fd& pidfd : left) {
            const auto rest =
                std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
            pollfd watched{pidfd.get(), POLLIN, 0};
            if (rest.count() <= 0 || poll(&watched, 1, static_cast<int>(rest.count())) == 0)
                return fail(Code::kTimeout,
                            fmt::format("{} processes of the job did not end within {} ms",
                                        left.size(), limit.value));
        }
    }
}

}  // namespace hotdesk
