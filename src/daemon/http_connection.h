// SPDX-License-Identifier: MIT
#pragma once
// One client's connection: a read loop that never stops and a write loop that runs while there is
// something to send. Because a read is always pending, a client that hangs up is noticed at once,
// also while it waits for its answer. Only http_server.cc and http_connection.cc include this.
//
// Callbacks rather than a coroutine: a waiting client costs no stack (1,000 of them would be 12
// MB), and "hung up" can arrive while an answer is being written.

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/http_server.h"

namespace hotdesk::http {

// TCP and Unix sockets are one type here, so the code below is compiled once.
using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol,
                                                boost::asio::io_context::executor_type>;
using SteadyTime = std::chrono::steady_clock::time_point;

// What a connection needs of its server.
struct ConnectionHost {
    const ServerSettings* settings = nullptr;
    std::function<void(Connection*)> closed;  // it is done with; called once
    std::function<const std::vector<std::string>&()> own_addresses;
};

// How the listener was reached.
struct Origin {
    bool is_unix = false;
    bool is_loopback = true;
};

class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Socket socket, Origin origin, const ConnectionHost& host);

    void start();
    void close();
    // Closes now if no request is being answered; else after that answer.
    void close_when_idle();
    // Closes when its time is over.
    void check_deadline(SteadyTime now);
    auto executor() { return socket_.get_executor(); }

    // The answering side; `serial` says which request, and a late one is ignored.
    void respond(uint64_t serial, Response response);
    void begin(uint64_t serial, Response head);
    void write(uint64_t serial, std::string_view piece);
    void finish(uint64_t serial);
    void on_gone(uint64_t serial, std::function<void()> gone);

  private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    enum class Phase : uint8_t { kIdle, kHead, kBody, kAnswering, kLinger, kClosed };

    void read();
    void on_read(const boost::system::error_code& ec, size_t count);
    void next_request();
    void parse();
    bool parse_step();
    bool on_head();
    void on_request();
    std::optional<Refusal> objection();
    void refuse(const Refusal& refusal);
    void refuse_parse_error(const boost::system::error_code& ec);
    void enter(Phase phase, Millis time);
    void append_head(const Response& head, bool is_streamed);
    void append_piece(std::string_view piece);
    void end_answer();
    void flush();
    void on_written(const boost::system::error_code& ec, size_t count);
    void linger();
    bool is_answering(uint64_t serial) const;
    const ServerLimits& limits() const { return host_.settings->limits; }

    Socket socket_;
    Origin origin_;
    ConnectionHost host_;
    boost::beast::flat_buffer input_;
    std::optional<Parser> parser_;
    Phase phase_ = Phase::kIdle;
    SteadyTime deadline_;
    bool is_reading_ = false;

    uint64_t serial_ = 0;  // of the request being read or answered
    bool keep_alive_ = true;
    bool is_chunked_ = false;
    bool has_no_body_ = false;  // HEAD
    bool has_begun_ = false;
    bool is_answered_ = false;  // all of the answer is in pending_ or sent
    std::string pending_;       // not given to the socket yet
    std::string in_flight_;
    size_t in_flight_done_ = 0;
    bool is_writing_ = false;
    std::function<void()> gone_;
};

}  // namespace hotdesk::http
