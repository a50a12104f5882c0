// SPDX-License-Identifier: MIT
#pragma once
// An HTTP/1.1 server for TCP and Unix sockets on one io thread. It knows bytes, limits and
// time-outs and nothing of what is served: every request goes to one handler. Boost stays in the
// .cc files, where it costs half a minute of compile time each.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "daemon/http_types.h"

namespace boost::asio {
class io_context;
}

namespace hotdesk::http {

struct ServerLimits {
    Bytes body_bytes_max = mib(64);    // a larger body is answered 413
    Bytes header_bytes_max = kib(32);  // more is answered 431; browsers stop near 16 KiB
    Bytes stream_bytes_max = mib(4);   // of a stream that its client has not taken: it is gone
    int connections_max = 8192;        // further clients wait in the listen backlog
    Millis head_max = seconds(15);     // from the first byte of a request to the end of its head
    Millis body_max = seconds(120);    // from there to the end of its body
    Millis idle_max = seconds(120);    // between two requests on one connection
    Millis stall_max = seconds(300);   // a client takes no byte of its answer for this long
};

// Something the server itself refuses: `code` is a stable word, the message is for people.
struct Refusal {
    int status = 400;
    std::string_view code;
    std::string message;
};

struct ServerSettings {
    ServerLimits limits;
    Handler handler;
    std::function<Response(const Refusal&)> refuse;  // puts a refusal in the clients' error shape
};

// Thread: io, except where a method says otherwise. Requires: outlives the io thread's last turn.
class Server {
  public:
    Server(boost::asio::io_context& io, ServerSettings settings);
    ~Server();

    // "127.0.0.1:8111", "[::1]:8111", "unix:/run/x.sock"; port 0 takes a free one. A dead Unix
    // socket file of that name is replaced. Thread: before the io thread runs, or io.
    // Errors: kInvalid for an address that does not parse, kBusy when it is taken, kDenied.
    Status listen(const std::string& address);
    // The addresses as bound, with the real port.
    std::vector<std::string> addresses() const;

    // Takes no new client, lets exchanges under way end, closes idle connections.
    void stop_accepting();
    // Closes everything now.
    void close();
    int connection_count() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// Whether an address to listen on can be reached from this machine only.
bool is_loopback_address(std::string_view address);

// Whether a Host header ("localhost:8111", "127.0.0.1", "[::1]:80") names this machine's loopback
// or one of `own`. A web page that points its own name at 127.0.0.1 sends that name here.
bool is_host_allowed(std::string_view host, const std::vector<std::string>& own);

}  // namespace hotdesk::http
