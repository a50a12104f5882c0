// SPDX-License-Identifier: MIT
#include "cli/demo_daemon.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "os/clock.h"

namespace hotdesk::demo {
namespace {

constexpr Millis kAnswerMax = seconds(20);
constexpr Millis kStopMax = seconds(30);

// A real device is there before its first user; so is this one.
Status make_ledger(const Places& places) {
    HD_TRY(RunLog log, RunLog::create(places.directory + "/ledger.log"));
    return run_to_end({places.programs + "/hotdesk-emulated-ledger", places.ledger(), "--total",
                       std::to_string(kDeskBytes.value)},
                      log);
}

}  // namespace

Status run_to_end(const std::vector<std::string>& command, RunLog& log) {
    HD_TRY(Child child, start_child({.command = command, .marker = "demo:tool"}));
    while (!hotdesk::has_ended(child.pidfd)) {
        copy_output(child.output, log);
        pause_a_moment();
    }
    copy_output(child.output, log);
    HD_TRY(auto code, reap(child));
    if (code == 0) return {};
    return fail(Code::kInternal,
                fmt::format("{} ended with exit code {}", command.front(), code.value_or(-1)));
}

std::map<std::string, std::string> device_env(const std::string& ledger) {
    return {{"HOTDESK_EMULATED_BYTES", std::to_string(kDeskBytes.value)},
            {"HOTDESK_EMULATED_LEDGER", ledger}};
}

void pause_a_moment() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

Result<std::unique_ptr<DemoDaemon>> DemoDaemon::start(const Places& places, int time_lapse) {
    std::string config = places.directory + "/hotdesk.toml";
    std::ofstream(config) << config_text(places, time_lapse > 1);
    ChildSpec spec;
    spec.command = {places.programs + "/hotdesk", "up", "--config", config, "--time-lapse",
                    std::to_string(time_lapse)};
    spec.env = device_env(places.ledger());
    spec.env["HOTDESK_SOCKET"] = places.socket();
    spec.marker = kMarker;
    HD_TRY_VOID(make_ledger(places));
    HD_TRY(RunLog log,
           RunLog::create(places.directory + "/daemon-" + std::to_string(time_lapse) + ".log"));
    HD_TRY(Child child, start_child(spec));
    std::unique_ptr<DemoDaemon> daemon(new DemoDaemon(places, std::move(child), std::move(log)));
    HD_TRY_VOID(daemon->await_answer());
    daemon->follower_ = std::make_unique<JournalFollower>(newest_journal(places.state()));
    return daemon;
}

Status DemoDaemon::await_answer() {
    Instant until = monotonic_now() + kAnswerMax;
    while (monotonic_now() < until) {
        copy_output(child_.output, log_);
        if (has_ended()) return died();
        if (client_.get("status")) return {};
        pause_a_moment();
    }
    return fail(Code::kUnavailable,
                fmt::format("the daemon does not answer; see {}/daemon-*.log", places_.directory));
}

tl::unexpected<Error> DemoDaemon::died() const {
    return fail(Code::kUnavailable,
                fmt::format("the daemon has ended; see {}/daemon-*.log", places_.directory));
}

Status DemoDaemon::follow() {
    copy_output(child_.output, log_);
    HD_TRY_VOID(follower_->advance());
    if (has_ended() && !is_draining_) return died();
    return {};
}

Status DemoDaemon::drain() {
    is_draining_ = true;
    HD_TRY_VOID(client_.post("drain"));
    return {};
}

Status DemoDaemon::stop() {
    HD_TRY_VOID(signal_process(child_.pidfd, SIGTERM));
    Instant until = monotonic_now() + kStopMax;
    while (!has_ended()) {
        copy_output(child_.output, log_);
        if (monotonic_now() >= until) return fail(Code::kTimeout, "the daemon does not stop");
        pause_a_moment();
    }
    return follower_->advance();
}

}  // namespace hotdesk::demo
