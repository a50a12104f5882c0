// SPDX-License-Identifier: MIT
#pragma once
// The two things that most of the daemon wants of the io thread, without its headers: "run this
// there" and "run this every so often".

#include <functional>
#include <memory>

#include "base/units.h"

namespace boost::asio {
class io_context;
}

namespace hotdesk {

// Runs `work` on the io thread, after this call. Thread: any.
void io_post(boost::asio::io_context& io, std::function<void()> work);

// Calls `tick` again and again while it is started. Thread: io only. Destroying it stops it.
class IoTicker {
  public:
    IoTicker(boost::asio::io_context& io, Millis every, std::function<void()> tick);
    ~IoTicker();

    // Starting a started one changes nothing: the next tick stays when it was.
    void start();
    void stop();

  private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace hotdesk
