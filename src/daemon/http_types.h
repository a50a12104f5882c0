// SPDX-License-Identifier: MIT
#pragma once
// Requests, responses and the answering side of an exchange, as plain values: what handlers see of
// HTTP. No network library shows through; http_server.h is where the bytes come from.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hotdesk::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method;  // "GET", in upper case as it came
    std::string path;    // percent-decoded, without the query
    std::string query;   // after the '?', as it came
    Headers headers;     // names in lower case
    std::string body;
    bool is_local = true;             // over a Unix socket or a loopback listener
    std::vector<std::string> params;  // what the {} of the route's pattern stood for

    // The first header of that (lower-case) name, or "".
    std::string_view header(std::string_view name) const;
    // The decoded value of key=value in the query, or "".
    std::string query_value(std::string_view key) const;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body;
    Headers headers;
};

class Connection;

// The answering side of one exchange: answered once, by respond() or by begin(), write()*,
// finish(). A handle: copies answer the same exchange, and calls after its end, or after the
// client hung up, do nothing. It shares the connection because either side may end first.
// Thread: any; off the io thread the calls are carried there, in order.
class Responder {
  public:
    Responder() = default;
    Responder(std::shared_ptr<Connection> connection, uint64_t serial);

    // A whole answer, with its Content-Length.
    void respond(Response response) const;
    // A streamed answer: the head, and its body as the first piece if there is one.
    void begin(Response head) const;
    // Pieces that a slow client has not taken yet are sent together; see
    // ServerLimits::stream_bytes_max.
    void write(std::string piece) const;
    void finish() const;
    // Calls `gone` on the io thread when the client hangs up before the end of the answer.
    void on_gone(std::function<void()> gone) const;

  private:
    std::shared_ptr<Connection> connection_;
    uint64_t serial_ = 0;
};

// Thread: called on the io thread; must not block. Must answer, now or later.
using Handler = std::function<void(Request, Responder)>;

// "a%20b" -> "a b"; a broken escape stays as it is.
std::string percent_decode(std::string_view text);

// The standard reason phrase: 404 -> "Not Found".
std::string_view reason_phrase(int status);

}  // namespace hotdesk::http
