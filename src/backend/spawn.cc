// SPDX-License-Identifier: MIT
#include "backend/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace hotdesk {
namespace {

constexpr int kChildSocket = 3;

// posix_spawn's two opaque structs, freed with the scope.
struct SpawnPlan {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    SpawnPlan() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
};

// Signals as a fresh program expects them, and a group of its own: Ctrl-C on the daemon's terminal
// is the daemon's to handle.
void set_attributes(posix_spawnattr_t& attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// Moves a descriptor above those that the child's dup2 calls overwrite.
Status lift(Fd& fd) {
    const int lifted = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, kChildSocket + 1);
    if (lifted < 0) return fail(Code::kUnavailable, fmt::format("fcntl: {}", std::strerror(errno)));
    fd.reset(lifted);
    return {};
}

std::vector<std::string> environment(const WorkerCommand& command) {
    std::vector<std::string> out;
    for (const auto& [name, value] : command.env) out.push_back(name + "=" + value);
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view own(*entry);
        const auto is_overridden = [&](const auto& pair) {
            return own.starts_with(pair.first) && own.substr(pair.first.size()).starts_with('=');
        };
        if (std::none_of(command.env.begin(), command.env.end(), is_overridden))
            out.emplace_back(own);
    }
    return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words) out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

}  // namespace

Result<Spawned> spawn_worker(const WorkerCommand& command) {
    if (command.argv.empty()) return fail(Code::kInvalid, "a worker command needs a program");
    int pair[2], pipe_ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return fail(Code::kUnavailable, fmt::format("socketpair: {}", std::strerror(errno)));
    Fd ours(pair[0]), theirs(pair[1]);
    if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
        return fail(Code::kUnavailable, fmt::format("pipe: {}", std::strerror(errno)));
    Fd stderr_read(pipe_ends[0]), stderr_write(pipe_ends[1]);
    HD_TRY_VOID(lift(theirs));
    HD_TRY_VOID(lift(stderr_write));

    SpawnPlan plan;
    set_attributes(plan.attributes);
    posix_spawn_file_actions_addopen(&plan.files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, stderr_write.get(), 1);
    posix_spawn_file_actions_adddup2(&plan.files, stderr_write.get(), 2);
    posix_spawn_file_actions_adddup2(&plan.files, theirs.get(), kChildSocket);

    std::vector<std::string> words = command.argv;
    for (std::string word : {std::string("--fd"), std::to_string(kChildSocket),
                             std::string("--parent"), std::to_string(::getpid())})
        words.push_back(std::move(word));
    std::vector<std::string> env_words = environment(command);
    const auto argv = pointers(words), env = pointers(env_words);

    Spawned out;
    const int error =
        ::posix_spawnp(&out.pid, argv[0], &plan.files, &plan.attributes, argv.data(), env.data());
    if (error != 0) {
        return fail(error == ENOENT ? Code::kNotFound : Code::kUnavailable,
                    fmt::format("cannot start {}: {}", command.argv[0], std::strerror(error)));
    }
    // Nobody but us reaps this child, so the pid cannot have been reused yet.
    out.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, out.pid, 0)));
    out.socket = std::move(ours);
    out.stderr_pipe = std::move(stderr_read);
    if (out.pidfd) return out;
    const int pidfd_error = errno;
    ::kill(out.pid, SIGKILL);
    ::waitpid(out.pid, nullptr, 0);
    return fail(Code::kUnavailable,
                fmt::format("pidfd_open of the worker: {}", std::strerror(pidfd_error)));
}

std::string describe_wait_status(int status) {
    if (WIFSIGNALED(status))
        return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace hotdesk
