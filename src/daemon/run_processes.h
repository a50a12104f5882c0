// SPDX-License-Identifier: MIT
#pragma once
// The processes of the runs: starts an agent's command, copies its output to the run's log, and
// says how it ended, after everything it left running was ended too.

#include <map>
#include <memory>

#include "base/ids.h"
#include "daemon/loop_port.h"
#include "os/child.h"

namespace boost::asio {
class io_context;
}

namespace hotdesk {

struct RunLaunch {
    RunId run;
    ChildSpec child;
    std::string log_path;
    Bytes log_bytes_max;
};

// Posts RunEnded. Watches on the io thread.
class RunProcesses {
  public:
    RunProcesses(boost::asio::io_context& io, LoopPort& loop);
    ~RunProcesses();

    // Thread: the loop's; the process dies with that thread. Errors: as start_child and
    // RunLog::create.
    Result<ProcessIdentity> start(const RunLaunch& launch);

    // Asks the run to end, or kills all of it. Thread: any.
    void stop(RunId run, bool hard);

  private:
    class Watch;

    boost::asio::io_context& io_;
    LoopPort& loop_;
    std::map<RunId, std::shared_ptr<Watch>> watches_;  // io thread only
};

}  // namespace hotdesk
