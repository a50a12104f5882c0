// SPDX-License-Identifier: MIT
#pragma once
// The daemon's own place in the line for the desk: it stands there on behalf of its models, like
// any other program, and says when its turn has come and when somebody waits behind it.

#include <memory>

#include "daemon/loop_port.h"
#include "os/desk_line.h"

namespace boost::asio {
class io_context;
}

namespace hotdesk {

// Posts DeskGranted and StrangerWaits. Thread: any; the work is done on the io thread.
class DeskTurn {
  public:
    DeskTurn(boost::asio::io_context& io, LoopPort& loop, DeskPlace place);
    ~DeskTurn();

    // Stands in line; tries again every kRetry while the desk's directory cannot be used.
    void queue();
    // Gives the desk, or the place in line, back.
    void release();

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;  // shared with the handlers that wait on its descriptors
    boost::asio::io_context& io_;
};

}  // namespace hotdesk
