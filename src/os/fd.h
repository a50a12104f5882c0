// SPDX-License-Identifier: MIT
#pragma once
// Fd owns one file descriptor and closes it. Every descriptor in os/ is opened close-on-exec, so
// that no program started by us keeps a lock or a socket by accident.

#include <unistd.h>

#include <utility>

namespace hotdesk {

// Owns: the descriptor. Move-only; -1 means "none".
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~Fd() { reset(); }

    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
    }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

}  // namespace hotdesk
