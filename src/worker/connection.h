// SPDX-License-Identifier: MIT
#pragma once
// The worker's end of the socket that it inherited: lines in, lines out, never blocking on a
// write. Thread: one.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hotdesk::worker {

class Connection {
  public:
    // Takes the descriptor and closes it in the end. Requires: a connected stream socket.
    explicit Connection(int fd);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    // Queues whole lines; exchange() writes them.
    void send(std::string_view lines) { out_ += lines; }

    // Bytes the other side has not taken yet.
    size_t backlog() const { return out_.size() - out_at_; }

    enum class Wait { kNo, kUntilSomething };

    // Writes what the socket takes and reads what is there, after waiting for either if asked.
    // Appends complete lines. False: the other side is gone, or sent a line over
    // wire::kLineBytesMax.
    bool exchange(Wait wait, std::vector<std::string>& lines);

    // Writes all that is queued, waiting for the other side to take it. False: it is gone.
    bool flush();

  private:
    bool write_some();
    bool read_some(std::vector<std::string>& lines);

    int fd_;
    std::string in_, out_;
    size_t out_at_ = 0;   // written up to here
    size_t scanned_ = 0;  // of in_: holds no newline
};

}  // namespace hotdesk::worker
