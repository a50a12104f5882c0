// SPDX-License-Identifier: MIT
#include "os/process_identity.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

namespace hotdesk {
namespace {

// Debian 12 has no C++-safe <sys/pidfd.h> (it pulls in <linux/fcntl.h>), so the call is made raw.
Fd open_pidfd(pid_t pid) {
    return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// The first 4 KiB of a small file, "" when it cannot be read.
std::string read_start(const char* path) {
    const Fd file(open(path, O_RDONLY | O_CLOEXEC));
    if (!file) return {};
    std::array<char, 4096> buffer{};
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    return n > 0 ? std::string(buffer.data(), static_cast<size_t>(n)) : std::string();
}

uint64_t own_pid_namespace() {
    struct stat info {};
    return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

template <class Number>
Number to_number(std::string_view text) {
    Number value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The nth word (from 0) of `text`, words separated by single spaces.
std::string_view word(std::string_view text, int n) {
    for (; n > 0 && !text.empty(); --n)
        text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    return text.substr(0, text.find(' '));
}

// The name of the program stands in parentheses and may hold anything, ") R 1" too, so the
// fields are counted from the last parenthesis.
std::optional<ProcessStat> parse_stat(pid_t pid, std::string_view text) {
    const size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
    const std::string_view fields = text.substr(name_end + 2);
    ProcessStat stat;
    stat.pid = pid;
    stat.state = fields.front();
    stat.parent = to_number<pid_t>(word(fields, 1));
    stat.session = to_number<pid_t>(word(fields, 3));
    stat.start_ticks = to_number<uint64_t>(word(fields, 19));
    return stat;
}

bool is_in_our_namespace(const ProcessIdentity& who) {
    static const uint64_t ours = own_pid_namespace();
    return who.pid_namespace == 0 || who.pid_namespace == ours;
}

}  // namespace

const std::string& boot_id() {
    static const std::string id = [] {
        std::string text = read_start("/proc/sys/kernel/random/boot_id");
        if (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }();
    return id;
}

Result<ProcessIdentity> own_identity() {
    const auto stat = process_stat(getpid());
    if (!stat || boot_id().empty())
        return fail(Code::kInternal,
                    "cannot read /proc/self/stat and the boot id: is /proc mounted?");
    return ProcessIdentity{boot_id(), stat->pid, stat->start_ticks, own_pid_namespace()};
}

std::optional<ProcessStat> process_stat(pid_t pid) {
    std::array<char, 64> path{};
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
    const Fd file(open(path.data(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    std::array<char, 1024> buffer{};
    if (!file || fstat(file.get(), &info) != 0) return std::nullopt;
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n <= 0) return std::nullopt;
    auto stat = parse_stat(pid, {buffer.data(), static_cast<size_t>(n)});
    if (stat) stat->uid = info.st_uid;
    return stat;
}

std::vector<ProcessStat> all_processes() {
    std::vector<ProcessStat> found;
    DIR* const dir = opendir("/proc");
    if (dir == nullptr) return found;
    while (const dirent* entry = readdir(dir)) {
        const auto pid = to_number<pid_t>(entry->d_name);
        if (pid <= 0) continue;
        if (const auto stat = process_stat(pid)) found.push_back(*stat);
    }
    closedir(dir);
    return found;
}

Result<Fd> watch_process(const ProcessIdentity& who) {
    if (who.boot_id != boot_id())
        return fail(Code::kNotFound, fmt::format("pid {} belonged to an earlier boot", who.pid));
    if (!is_in_our_namespace(who))
        return fail(Code::kUnavailable, fmt::format("pid {} is of another pid namespace", who.pid));
    if (who.pid <= 0) return fail(Code::kNotFound, fmt::format("{} is no pid", who.pid));
    Fd pidfd = open_pidfd(who.pid);
    if (!pidfd && errno == ESRCH)
        return fail(Code::kNotFound, fmt::format("pid {} has ended", who.pid));
    if (!pidfd)
        return fail(Code::kUnavailable,
                    fmt::format("cannot watch pid {}: {}", who.pid, std::strerror(errno)));
    const auto stat = process_stat(who.pid);
    if (has_ended(pidfd) || (stat && stat->start_ticks != who.start_ticks))
        return fail(Code::kNotFound, fmt::format("pid {} has ended", who.pid));
    if (!stat) return fail(Code::kUnavailable, fmt::format("/proc hides pid {}", who.pid));
    return pidfd;
}

Life life_of(const ProcessIdentity& who) {
    const auto pidfd = watch_process(who);
    if (!pidfd) return pidfd.error().code == Code::kNotFound ? Life::kDead : Life::kUnknown;
    const auto stat = process_stat(who.pid);
    return stat && stat->is_stopped() ? Life::kStopped : Life::kAlive;
}

Status signal_process(const Fd& pidfd, int signal) {
    if (syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0 || errno == ESRCH)
        return {};
    return fail(Code::kDenied,
                fmt::format("cannot send signal {}: {}", signal, std::strerror(errno)));
}

bool has_ended(const Fd& pidfd) {
    pollfd watched{pidfd.get(), POLLIN, 0};
    return poll(&watched, 1, 0) > 0;
}

}  // namespace hotdesk
