// SPDX-License-Identifier: MIT
#pragma once
// The daemon's end of one hotdesk-worker: starts the process, carries frames both ways, tells each
// call's owner its own, and says when the process is gone. It decides nothing: whether a call is
// tried again or a model loaded again is the loop's business.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/frames.h"

namespace boost::asio {
class io_context;
}

namespace hotdesk {

// The program and its arguments, to which "--fd 3 --parent PID" are added; `env` overrides what
// the daemon itself has.
struct WorkerCommand {
    std::vector<std::string> argv;
    std::vector<std::pair<std::string, std::string>> env;
};

// What happens to the worker as a whole.
struct WorkerHandlers {
    std::function<void(int permille)> on_loading;
    std::function<void(const wire::Ready&)> on_ready;
    // Exactly once, when the process has ended and was reaped: its memory is free. The message is
    // empty after quit() or kill(); else it says how the worker ended, with its last words.
    // crashed: it died without saying why.
    std::function<void(Error error, bool crashed)> on_gone;
    // Parked, Restored, ContextFailed and Stats.
    std::function<void(const wire::FromWorker&)> on_other;
    std::function<void(std::string_view line)> on_stderr;
};

// What happens to one call. After on_finished or on_broken nothing more comes. When the worker
// dies neither is called: the owner hears of it by WorkerHandlers::on_gone.
struct CallHandlers {
    std::function<void(const wire::Delta&)> on_delta;
    std::function<void(const wire::Finished&)> on_finished;
    std::function<void(const wire::Broken&)> on_broken;
};

// Thread: io only. Owns: the process; destroying this kills it and waits for its end.
// A handler may destroy the client.
class WorkerClient {
  public:
    // Errors: kNotFound when there is no such program, kUnavailable when it cannot be started.
    static Result<std::unique_ptr<WorkerClient>> start(boost::asio::io_context& io,
                                                       const WorkerCommand& command,
                                                       WorkerHandlers handlers);
    ~WorkerClient();

    // `line` is an encoded wire::Generate of that id: a call that waits is kept as its line, which
    // is several times smaller than its JSON, and may be sent to a second worker.
    void generate(uint64_t id, std::string_view line, CallHandlers handlers);
    // The worker answers with the call's on_finished or on_broken.
    void cancel(uint64_t id);
    void send(const wire::ToWorker& frame);
    void quit();
    void kill();
    int pid() const;

  private:
    class Impl;
    explicit WorkerClient(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace hotdesk
