// SPDX-License-Identifier: MIT
#pragma once
// A blocking HTTP client of a few lines for tests: it sends the bytes it is given and reads what a
// correct client would, so that a test can also be an incorrect one.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "os/fd.h"

namespace hotdesk {

class TestClient {
  public:
    // "127.0.0.1:PORT"
    explicit TestClient(const std::string& address) {
        fd_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port =
            htons(static_cast<uint16_t>(std::atoi(address.c_str() + address.find(':') + 1)));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        is_connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
        const timeval limit{20, 0};  // a hang fails the test instead of blocking it
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }

    bool is_connected() const { return is_connected_; }
    void send(std::string_view bytes) const {
        ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void post(std::string_view path, std::string_view body, std::string_view headers = "") const {
        send(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}",
                         path, headers, body.size(), body));
    }
    void get(std::string_view path, std::string_view headers = "") const {
        send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers));
    }
    void hang_up() { fd_.reset(); }

    // Reads on until `mark` has been seen and returns all up to its end; what is left is kept.
    // Returns what there was when the server hung up first.
    std::string read_until(std::string_view mark) {
        size_t at = 0;
        while ((at = input_.find(mark)) == std::string::npos) {
            if (!read_some()) return std::exchange(input_, {});
        }
        return take(at + mark.size());
    }
    std::string read_to_end() {
        while (read_some()) {
        }
        return std::exchange(input_, {});
    }
    // One response with a Content-Length: its head and its body.
    std::string read_response() {
        std::string out = read_until("\r\n\r\n");
        const size_t field = out.find("Content-Length: ");
        if (field == std::string::npos) return out;
        size_t length = 0;
        std::from_chars(out.data() + field + 16, out.data() + out.size(), length);
        while (input_.size() < length && read_some()) {
        }
        return out + take(length);
    }

  private:
    std::string take(size_t count) {
        std::string out = input_.substr(0, count);
        input_.erase(0, count);
        return out;
    }
    bool read_some() {
        char bytes[65536];
        const ssize_t count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
        if (count > 0) input_.append(bytes, static_cast<size_t>(count));
        return count > 0;
    }

    Fd fd_;
    std::string input_;
    bool is_connected_ = false;
};

inline int status_of(std::string_view response) {
    int out = 0;
    if (response.size() > 12) std::from_chars(response.data() + 9, response.data() + 12, out);
    return out;
}

}  // namespace hotdesk
