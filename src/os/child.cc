// SPDX-License-Identifier: MIT
#include "os/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace hotdesk {
namespace {

// What the child could not do, sent through a pipe that exec closes.
enum class Stage : int { kDirectory, kExec, kSetup };
struct Failure {
    Stage stage = Stage::kSetup;
    int error = 0;
};

struct Pipe {
    Fd read, write;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Code::kNoSpace, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::map<std::string, std::string> whole_environment(const ChildSpec& spec) {
    std::map<std::string, std::string> all = spec.env;
    all[kRunVariable] = spec.marker;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

// execve's shape of a list; the pointers are into `texts`.
std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> found;
    for (std::string& text : texts) found.push_back(text.data());
    found.push_back(nullptr);
    return found;
}

// Looked up before the fork, where memory may still be allocated.
Result<std::string> find_program(const std::string& name, std::string_view path) {
    if (name.find('/') != std::string::npos) return name;
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return fail(Code::kNotFound, fmt::format("command not found: {} (PATH is {})", name, path));
}

// All that the child needs, ready before the fork: after it only system calls are safe, because
// another thread may have held the allocator's lock.
struct Launch {
    std::string program, directory;
    std::vector<std::string> arguments, environment;
    std::vector<char*> argv, envp;
    pid_t parent = 0;
    int null = -1, output = -1, report = -1;
};

[[noreturn]] void give_up(const Launch& launch, Stage stage) {
    const Failure failure{stage, errno};
    (void)!write(launch.report, &failure, sizeof failure);
    _exit(127);
}

void reset_signals() {
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Launch& launch) {
    if (setsid() < 0) give_up(launch, Stage::kSetup);
    reset_signals();
    // When the daemon is killed there is nobody left to note how the run ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launch.parent) _exit(127);  // it was killed before the line above
    if (dup2(launch.null, 0) < 0 || dup2(launch.output, 1) < 0 || dup2(launch.output, 2) < 0)
        give_up(launch, Stage::kSetup);
    // Whatever a library of ours opened without O_CLOEXEC. ENOSYS before Linux 5.9: it stays open.
    syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    if (!launch.directory.empty() && chdir(launch.directory.c_str()) != 0)
        give_up(launch, Stage::kDirectory);
    execve(launch.program.c_str(), launch.argv.data(), launch.envp.data());
    give_up(launch, Stage::kExec);
}

Error explain_failure(const Failure& failure, const ChildSpec& spec) {
    const Code code = failure.error == ENOENT || failure.error == ENOTDIR ? Code::kNotFound
                      : failure.error == EACCES || failure.error == EPERM ? Code::kDenied
                                                                          : Code::kInternal;
    const char* reason = std::strerror(failure.error);
    switch (failure.stage) {
        case Stage::kDirectory:
            return {code, fmt::format("cannot enter directory {}: {}", spec.directory, reason)};
        case Stage::kExec:
            return {code, fmt::format("cannot run {} in {}: {}", spec.command[0],
                                      spec.directory.empty() ? "." : spec.directory, reason)};
        case Stage::kSetup: break;
    }
    return {Code::kInternal, fmt::format("cannot set up {}: {}", spec.command[0], reason)};
}

Result<Launch> prepare(const ChildSpec& spec) {
    if (spec.command.empty() || spec.command[0].empty())
        return fail(Code::kInvalid, "the command is empty");
    auto environment = whole_environment(spec);
    Launch launch;
    HD_TRY(launch.program, find_program(spec.command[0], environment["PATH"]));
    launch.directory = spec.directory;
    launch.arguments = spec.command;
    for (const auto& [name, value] : environment)
        launch.environment.push_back(fmt::format("{}={}", name, value));
    launch.parent = getpid();
    return launch;
}

Result<Child> adopt(pid_t pid, Fd output) {
    const auto stat = process_stat(pid);  // a zombie has one too, and only we can reap it
    if (!stat) return fail(Code::kInternal, fmt::format("/proc does not show our child {}", pid));
    HD_TRY(const ProcessIdentity self, own_identity());
    Child child{.who = {self.boot_id, pid, stat->start_ticks, self.pid_namespace},
                .pidfd = Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
                .output = std::move(output)};
    if (!child.pidfd)
        return fail(Code::kNoSpace,
                    fmt::format("cannot watch pid {}: {}", pid, std::strerror(errno)));
    return child;
}

void kill_and_reap(pid_t pid) {
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace

Result<Child> start_child(const ChildSpec& spec) {
    HD_TRY(Launch launch, prepare(spec));
    launch.argv = pointers(launch.arguments);
    launch.envp = pointers(launch.environment);
    HD_TRY(Pipe output, make_pipe());
    HD_TRY(Pipe report, make_pipe());
    const Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    launch.null = null.get();
    launch.output = output.write.get();
    launch.report = report.write.get();

    const pid_t pid = fork();
    if (pid == 0) become(launch);
    if (pid < 0)
        return fail(Code::kNoSpace,
                    fmt::format("cannot start {}: {}", spec.command[0], std::strerror(errno)));
    report.write.reset();
    output.write.reset();
    fcntl(output.read.get(), F_SETFL, O_NONBLOCK);
    Failure failure;
    ssize_t n = 0;
    while ((n = read(report.read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    if (n > 0) {
        kill_and_reap(pid);
        return tl::unexpected(explain_failure(failure, spec));
    }
    auto child = adopt(pid, std::move(output.read));
    if (!child) kill_and_reap(pid);
    return child;
}

Result<std::optional<int>> reap(const Child& child) {
    siginfo_t info{};
    // P_PIDFD is 3; glibc 2.36 has the name, musl and older headers do not.
    const auto by_pidfd = static_cast<idtype_t>(3);
    if (waitid(by_pidfd, static_cast<id_t>(child.pidfd.get()), &info, WEXITED | WNOHANG) != 0)
        return fail(Code::kInternal,
                    fmt::format("cannot reap pid {}: {}", child.who.pid, std::strerror(errno)));
    if (info.si_pid == 0) return std::nullopt;
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

Status ask_to_end(const Child& child) {
    if (kill(-child.who.pid, SIGTERM) == 0 || errno == ESRCH) return {};
    return fail(Code::kDenied, fmt::format("cannot end process group {}: {}", child.who.pid,
                                           std::strerror(errno)));
}

JobTrace trace_of_run(const ProcessIdentity& who, const std::string& marker, bool is_fresh) {
    JobTrace trace;
    trace.marker = fmt::format("{}={}", kRunVariable, marker);
    if (who.pid > 0) trace.session = JobSession{who.pid, who.start_ticks};
    trace.started_after = who.start_ticks;
    trace.owner = getuid();
    trace.is_fresh = is_fresh;
    return trace;
}

}  // namespace hotdesk
