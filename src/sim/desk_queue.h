// SPDX-License-Identifier: MIT
#pragma once
// The line for the simulated desk: our daemon and programs that are strangers to it, served in the
// order of their tickets. Tells the loop when its turn has come and when somebody waits behind it.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "sim/stage.h"

namespace hotdesk::sim {

class DeskQueue {
  public:
    struct Ticket {
        uint64_t number;
        bool ours;
    };
    explicit DeskQueue(Stage& stage) : stage_(stage) {}

    void queue_ours();
    void release_ours();
    // A stranger comes, holds the desk for `hold` when its turn has come, and gives up waiting
    // after `patience`.
    void queue_stranger(Millis hold, Millis patience);
    // Our process has died: its tickets go with it.
    void drop_ours();

    bool is_ours() const { return granted_ && !line_.empty() && line_.front().ours; }
    bool is_strangers() const { return granted_ && !line_.empty() && !line_.front().ours; }

    // Called for every ticket whose turn comes, for the checkers.
    std::function<void(const Ticket&)> on_grant = [](const Ticket&) {};

  private:
    void serve_head();
    void leave(uint64_t number);
    void tell_about_strangers();

    Stage& stage_;
    std::deque<Ticket> line_;           // the front has the desk when granted_
    std::map<uint64_t, Millis> holds_;  // how long each stranger keeps the desk
    bool granted_ = false;
    bool told_ = false;  // what the daemon was last told about strangers
    uint64_t next_ = 1;
    uint64_t life_ = 0;  // of the daemon; news for an earlier one are dropped
};

}  // namespace hotdesk::sim
