// SPDX-License-Identifier: MIT
#include "daemon/run_processes.h"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "os/run_log.h"

namespace hotdesk {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

// SIGKILL takes effect within milliseconds, unless a process hangs in the kernel; then the run is
// closed after kLeftoversMax all the same, and the log says so.
constexpr auto kLeftoversLook = std::chrono::milliseconds(20);
constexpr int kLeftoversLooksMax = 250;

}  // namespace

// One live run. Kept alive by the handlers that wait on its descriptors.
class RunProcesses::Watch : public std::enable_shared_from_this<Watch> {
  public:
    using Ended = std::function<void(RunId, int exit_code)>;

    Watch(asio::io_context& io, RunId run, std::string marker, Child child, RunLog log, Ended ended)
        : run_(run),
          marker_(std::move(marker)),
          child_(std::move(child)),
          log_(std::move(log)),
          ended_(std::move(ended)),
          exit_(io, ::dup(child_.pidfd.get())),
          output_(io, ::dup(child_.output.get())),
          timer_(io) {}

    void begin() {
        await_output();
        exit_.async_wait(stream_descriptor::wait_read, [self = shared_from_this()](auto ec) {
            if (!ec) self->on_exit();
        });
    }
    void stop(bool hard) {
        if (hard) return void(kill_leftovers(trace()));
        if (exit_code_) return;
        if (auto asked = ask_to_end(child_); !asked)
            spdlog::warn("run={} cannot be asked to end: {}", run_.value, asked.error().message);
    }

  private:
    JobTrace trace() const { return trace_of_run(child_.who, marker_, true); }

    void await_output() {
        output_.async_wait(stream_descriptor::wait_read, [self = shared_from_this()](auto ec) {
            if (!ec && !copy_output(self->child_.output, self->log_)) self->await_output();
        });
    }
    void on_exit() {
        auto code = reap(child_);
        exit_code_ = code && *code ? **code : 128 + SIGKILL;
        end_leftovers_then_close(0);
    }
    // What the command left running is ended before the run is over.
    void end_leftovers_then_close(int looks) {
        bool gone = kill_leftovers(trace()).empty();
        if (!gone && looks >= kLeftoversLooksMax)
            spdlog::error("run={} left a process that SIGKILL does not end", run_.value);
        else if (!gone)
            return look_again(looks + 1);
        copy_output(child_.output, log_);
        output_.cancel();
        ended_(run_, *exit_code_);
    }
    void look_again(int looks) {
        timer_.expires_after(kLeftoversLook);
        timer_.async_wait([self = shared_from_this(), looks](auto ec) {
            if (!ec) self->end_leftovers_then_close(looks);
        });
    }

    RunId run_;
    std::string marker_;
    Child child_;
    RunLog log_;
    Ended ended_;
    stream_descriptor exit_;  // duplicates of the child's descriptors
    stream_descriptor output_;
    asio::steady_timer timer_;
    std::optional<int> exit_code_;
};

RunProcesses::RunProcesses(asio::io_context& io, LoopPort& loop) : io_(io), loop_(loop) {}
RunProcesses::~RunProcesses() = default;

Result<ProcessIdentity> RunProcesses::start(const RunLaunch& launch) {
    HD_TRY(RunLog log, RunLog::create(launch.log_path, launch.log_bytes_max));
    HD_TRY(Child child, start_child(launch.child));
    ProcessIdentity who = child.who;
    auto ended = [this](RunId run, int exit_code) {
        watches_.erase(run);
        loop_.post(RunEnded{run, exit_code, ""});
    };
    auto watch = std::make_shared<Watch>(io_, launch.run, launch.child.marker, std::move(child),
                                         std::move(log), std::move(ended));
    asio::post(io_, [this, run = launch.run, watch = std::move(watch)] {
        watches_[run] = watch;
        watch->begin();
    });
    return who;
}

void RunProcesses::stop(RunId run, bool hard) {
    asio::post(io_, [this, run, hard] {
        auto it = watches_.find(run);
        if (it != watches_.end()) it->second->stop(hard);
    });
}

}  // namespace hotdesk
