// SPDX-License-Identifier: MIT
#include "worker/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "wire/frames.h"

namespace hotdesk::worker {

Connection::Connection(int fd) : fd_(fd) {}

Connection::~Connection() {
    ::close(fd_);
}

bool Connection::exchange(Wait wait, std::vector<std::string>& lines) {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    if (backlog() > 0) {
        // Tried first: nearly always the socket takes all of it, and poll() is spared its bit.
        if (!write_some()) return false;
        if (backlog() > 0) poll.events |= POLLOUT;
    }
    while (::poll(&poll, 1, wait == Wait::kNo ? 0 : -1) < 0) {
        if (errno != EINTR) return false;
    }
    if ((poll.revents & POLLOUT) != 0 && !write_some()) return false;
    if ((poll.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !read_some(lines)) return false;
    return true;
}

bool Connection::flush() {
    while (write_some() && backlog() > 0) {
        pollfd poll{.fd = fd_, .events = POLLOUT, .revents = 0};
        if (::poll(&poll, 1, -1) < 0 && errno != EINTR) return false;
    }
    return backlog() == 0;
}

bool Connection::write_some() {
    while (backlog() > 0) {
        const ssize_t n =
            ::send(fd_, out_.data() + out_at_, backlog(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        out_at_ += static_cast<size_t>(n);
    }
    out_.clear();
    out_at_ = 0;
    return true;
}

bool Connection::read_some(std::vector<std::string>& lines) {
    char buffer[64 << 10];
    ssize_t n;
    do {
        n = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (n == 0) return false;
    in_.append(buffer, static_cast<size_t>(n));
    size_t begin = 0;
    for (size_t end; (end = in_.find('\n', std::max(begin, scanned_))) != in_.npos;
         begin = end + 1) {
        lines.push_back(in_.substr(begin, end - begin));
    }
    in_.erase(0, begin);
    scanned_ = in_.size();
    return in_.size() <= wire::kLineBytesMax;
}

}  // namespace hotdesk::worker
