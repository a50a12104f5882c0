// SPDX-License-Identifier: MIT
#include "daemon/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "base/text.h"
#include "config/restart.h"
#include "daemon/clock_watch.h"
#include "daemon/desk_turn.h"
#include "daemon/executor.h"
#include "daemon/flush_timer.h"
#include "daemon/gateway.h"
#include "daemon/inbox.h"
#include "daemon/machine_probe.h"
#include "daemon/model_files.h"
#include "daemon/model_workers.h"
#include "daemon/own_routes.h"
#include "daemon/recorder.h"
#include "daemon/recovery.h"
#include "daemon/run_processes.h"
#include "loop/loop.h"
#include "os/desk_line.h"
#include "store/history.h"
#include "store/store.h"

namespace hotdesk {
namespace {

namespace asio = boost::asio;

// Runs that SIGTERM does not end are killed after kill_grace; this is for what remains.
constexpr Millis kStopMax = seconds(20);
// How often what is older than [history] keep is deleted.
constexpr Millis kForgetEvery = hours(6);

// A process that was being started when the daemon before us was killed has its lock until it is
// the new program: some milliseconds.
constexpr int kLockTries = 20;
constexpr auto kLockPause = std::chrono::milliseconds(50);

// ---- settings ----------------------------------------------------------------------------------

std::string read_token(const std::string& path) {
    std::ifstream file(path);
    std::string token;
    std::getline(file, token);
    return token;
}

GatewaySettings gateway_settings(const Config& config) {
    GatewaySettings settings;
    settings.calls.heartbeat = config.queue.heartbeat;
    settings.calls.stream_headers_after = config.queue.headers_after;
    settings.calls.wait_notice =
        config.queue.wait_notice == "off" ? WaitNotice::kOff : WaitNotice::kComment;
    if (!config.server.token_file.empty()) settings.token = read_token(config.server.token_file);
    return settings;
}

WorkerSettings worker_settings(const ServeOptions& options) {
    WorkerSettings settings;
    settings.program = options.program_dir + "/hotdesk-worker";
    settings.engine_dir = options.config.gpu.engine_dir;
    settings.backends = options.config.gpu.backends;
    return settings;
}

// The address that agents are told: the first TCP one.
std::string base_url(const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses)
        if (!address.starts_with("unix:")) return "http://" + address;
    return "";
}

std::string unix_socket(const std::vector<std::string>& addresses) {
    for (const std::string& address : addresses)
        if (address.starts_with("unix:")) return address.substr(5);
    return "";
}

Status make_directory(const std::string& path) {
    std::error_code ec;
    std::filesystem::create_directories(path, ec);
    if (ec)
        return fail(Code::kDenied,
                    fmt::format("cannot make the directory {}: {}", path, ec.message()));
    return {};
}

// One daemon for each state directory: two would run every firing twice.
Result<Fd> lock_state(const std::string& directory) {
    std::string path = directory + "/daemon.lock";
    Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock) return fail(Code::kDenied, fmt::format("cannot open {}: {}", path, strerror(errno)));
    for (int tries = 0; ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (tries == kLockTries)
            return fail(Code::kBusy,
                        fmt::format("another hotdesk daemon uses {} (it holds {}); stop it, or set "
                                    "[server] state_dir",
                                    directory, path));
        std::this_thread::sleep_for(kLockPause);
    }
    return lock;
}

// ---- the daemon --------------------------------------------------------------------------------

// What has to be there before the parts are made.
struct Ground {
    Fd lock;
    Store store;
    DiskJournal journal;
    DeskPlace desk;
};

Result<Ground> prepare(const ServeOptions& options, Wall now) {
    const std::string& state_dir = options.config.server.state_dir;
    HD_TRY_VOID(make_directory(state_dir + "/logs"));
    HD_TRY_VOID(make_directory(state_dir + "/journal"));
    HD_TRY(Fd lock, lock_state(state_dir));
    HD_TRY(Store::Opened opened, Store::open(state_dir + "/hotdesk.db", now));
    if (!opened.notice.empty()) spdlog::warn("{}", opened.notice);
    HD_TRY(DiskJournal journal, DiskJournal::open(state_dir + "/journal", now));
    HD_TRY(DeskPlace desk, desk_place({.desk = options.fleet.desk.value,
                                       .state_dir = state_dir,
                                       .desk_dir = options.config.gpu.desk_dir}));
    return Ground{std::move(lock), std::move(opened.store), std::move(journal), std::move(desk)};
}

// Thread: made, run and destroyed on one; it starts the io thread itself.
class Daemon {
  public:
    Daemon(ServeOptions options, Ground ground, const DeviceSpec& device, const WallClock& wall)
        : options_(std::move(options)),
          wall_(wall),
          lock_(std::move(ground.lock)),
          store_(std::move(ground.store)),
          inbox_(wall_),
          gateway_(io_, inbox_, gateway_settings(options_.config)),
          workers_(io_, inbox_, worker_settings(options_),
                   [this](const ModelName& model, WorkerClient* client) {
                       gateway_.set_worker(model, client);
                   }),
          desk_(io_, inbox_, std::move(ground.desk)),
          runs_(io_, inbox_),
          probe_(device, wall_),
          recorder_(std::move(ground.journal), store_, gateway_),
          signals_(io_, SIGINT, SIGTERM, SIGHUP) {}

    Status open() {
        HD_TRY(Recovery recovery, recover(store_, wall_.now()));
        HD_TRY_VOID(gateway_.listen(options_.config.server.listen));
        gateway_.set_first_call_id(recovery.next_call);
        HD_TRY(History history, History::open(options_.config.server.state_dir + "/hotdesk.db"));
        history_.emplace(std::move(history));
        add_own_routes({io_, gateway_, inbox_, *history_, [this] { return reload(); },
                        [this] { flush_notes(); }});
        executor_ = std::make_unique<DaemonExecutor>(parts(), run_settings());
        loop_ = std::make_unique<Loop>(Ports{inbox_, probe_, *executor_, recorder_});
        executor_->bind(loop_->state().fleet);
        look_at_model_files(options_.fleet);
        inbox_.post(Recovered{recovery.last_due, recovery.next_run});
        inbox_.post(Configured{options_.fleet, wall_.now()});
        return {};
    }

    void run() {
        await_signal();
        std::thread io_thread([this] { io_.run(); });
        say_ready();
        while (!is_over()) {
            loop_->run_once();
            executor_->start_some_runs();
            inbox_.answer(loop_->state(), loop_->seen());
            tidy();
        }
        close();
        io_.stop();
        io_thread.join();
        workers_.clear();
    }

  private:
    ExecutorParts parts() { return {inbox_, gateway_, workers_, desk_, runs_, store_, wall_}; }
    RunSettings run_settings() const {
        RunSettings settings;
        settings.base_url = base_url(gateway_.addresses());
        settings.socket = unix_socket(gateway_.addresses());
        settings.logs_dir = options_.config.server.state_dir + "/logs";
        settings.program = options_.program_dir + "/hotdesk";
        settings.desk_dir = options_.config.gpu.desk_dir;
        settings.logs_kept = static_cast<int>(options_.config.logs.runs_kept);
        settings.log_bytes_max = options_.config.logs.bytes_max;
        return settings;
    }
    // ---- what the operator wants ---------------------------------------------------------------

    void await_signal() {
        signals_.async_wait([this](auto ec, int signal) {
            if (ec) return;
            if (signal == SIGHUP)
                reload_or_say();
            else
                stop(signal);
            await_signal();
        });
    }
    // The first asks the runs to end; the second does not wait for them.
    void stop(int signal) {
        if (stopping_.exchange(true)) {
            stop_now_ = true;
            inbox_.ask([](const State&, const Snapshot&) {});  // wakes the loop
            return;
        }
        spdlog::info("signal {}: stopping; once more to stop at once", signal);
        inbox_.post(DrainWanted{});
        inbox_.ask([this](const State& state, const Snapshot& seen) {
            stop_by_ = seen.now + kStopMax;
            for (const auto& [id, run] : state.runs) inbox_.post(RunUnwanted{id});
        });
    }
    // Thread: io. Errors: as parse_config; the old fleet then stays.
    Status reload() {
        HD_TRY(LoadedFleet again, options_.read_again());
        for (const std::string& key : needs_restart(options_.config, again.config))
            spdlog::warn("{} has changed; that holds from the next start on", key);
        Fleet fleet = std::move(again.fleet);
        look_at_model_files(fleet);
        spdlog::info("config reloaded: {} agents, {} models", fleet.agents.size(),
                     fleet.models.size());
        inbox_.post(Configured{std::move(fleet), wall_.now()});
        return {};
    }
    void reload_or_say() {
        if (auto done = reload(); !done)
            spdlog::error("not reloaded, the old config stays:\n{}", done.error().message);
    }

    bool is_over() const {
        const State& state = loop_->state();
        if (stop_now_) return true;
        if (!state.draining) return false;
        bool done = state.runs.empty() && (stopping_ || state.calls.empty());
        return done || (stopping_ && loop_->seen().now >= stop_by_);
    }

    // ---- housekeeping between two cycles -------------------------------------------------------

    void tidy() {
        Instant now = monotonic_now();
        if (const auto back = clock_watch_.set_back(now, wall_.now())) {
            spdlog::warn("the clock was set back by {}: schedules begin anew",
                         format_duration(*back));
            inbox_.post(Configured{loop_->state().fleet, wall_.now()});
        }
        if (flush_timer_.is_due(now, store_.has_notes())) flush_notes();
        inbox_.wake_by(executor_->has_runs_to_start() ? now
                                                      : std::min(flush_timer_.next(), stop_by_));
        if (now - forgotten_ >= kForgetEvery) {
            Wall then = wall_.now() - options_.config.history.keep;
            if (auto done = store_.forget_before(then); !done)
                spdlog::error("history: {}", done.error().message);
            forgotten_ = now;
        }
    }

    // A full disk is said once, and not each second.
    void flush_notes() {
        const bool was_refused = store_.is_refused();
        const Status flushed = store_.flush();
        if (!flushed && !was_refused)
            spdlog::error("{}; it is kept in memory and tried again", flushed.error().message);
        if (flushed && was_refused) spdlog::info("the history is written again");
    }

    void say_ready() const {
        for (const std::string& address : gateway_.addresses())
            spdlog::info("listening on {}", address);
        spdlog::info("ready: {} agents, {} models, desk {}", options_.fleet.agents.size(),
                     options_.fleet.models.size(), options_.fleet.desk.value);
        for (const auto& [name, spec] : options_.fleet.models)
            if (!spec.unusable.empty())
                spdlog::warn("model={} cannot be used: {}", name.value, spec.unusable);
    }

    void close() {
        gateway_.stop_accepting();
        for (const auto& [id, run] : loop_->state().runs) runs_.stop(id, true);
        flush_notes();
        gateway_.close();
        spdlog::info("stopped");
    }

    ServeOptions options_;
    const WallClock& wall_;
    Fd lock_;
    Store store_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
    Inbox inbox_;
    std::optional<History> history_;
    Gateway gateway_;
    ModelWorkers workers_;
    DeskTurn desk_;
    RunProcesses runs_;
    MachineProbe probe_;
    Recorder recorder_;
    asio::signal_set signals_;
    std::unique_ptr<DaemonExecutor> executor_;
    std::unique_ptr<Loop> loop_;
    std::atomic<bool> stopping_ = false, stop_now_ = false;
    // Never, until the loop has noted when the stop was asked for: it may drain a cycle earlier.
    Instant stop_by_{INT64_MAX};  // the loop's thread only, like what follows
    Instant forgotten_;
    FlushTimer flush_timer_;
    ClockWatch clock_watch_;
};

}  // namespace

Status serve(ServeOptions options) {
    WallClock wall(options.wall_rate);
    HD_TRY(DeviceSpec device, parse_device_spec(options.config.gpu.device));
    HD_TRY(Ground ground, prepare(options, wall.now()));
    Daemon daemon(std::move(options), std::move(ground), device, wall);
    HD_TRY_VOID(daemon.open());
    daemon.run();
    return {};
}

}  // namespace hotdesk
