// SPDX-License-Identifier: MIT
#include "daemon/http_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <cctype>

namespace hotdesk::http {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;

constexpr size_t kReadBytes = 64 * 1024;
// What a client may send ahead while its answer is made: one more request, roughly.
constexpr size_t kReadAheadMax = 64 * 1024;
// After the last answer the client may still be sending; a close would reset its connection before
// it has read that answer.
constexpr Millis kLingerMax = seconds(2);

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

template <class Message>
Headers headers_of(const Message& message) {
    Headers out;
    for (const auto& field : message)
        out.emplace_back(lower(view(field.name_string())), std::string(view(field.value())));
    return out;
}

}  // namespace

Connection::Connection(Socket socket, Origin origin, const ConnectionHost& host)
    : socket_(std::move(socket)), origin_(origin), host_(host) {}

void Connection::start() {
    next_request();
    read();
}

void Connection::enter(Phase phase, Millis time) {
    phase_ = phase;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(time.value);
}

// ---- reading -----------------------------------------------------------------------------------

void Connection::read() {
    if (is_reading_ || phase_ == Phase::kClosed) return;
    if (phase_ == Phase::kAnswering && input_.size() >= kReadAheadMax) return;
    is_reading_ = true;
    socket_.async_read_some(input_.prepare(kReadBytes),
                            [self = shared_from_this()](const error_code& ec, size_t count) {
                                self->on_read(ec, count);
                            });
}

void Connection::on_read(const error_code& ec, size_t count) {
    is_reading_ = false;
    if (phase_ == Phase::kClosed) return;
    if (ec) return close();
    input_.commit(count);
    if (phase_ == Phase::kLinger) input_.consume(input_.size());
    parse();
    read();
}

void Connection::next_request() {
    ++serial_;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits().header_bytes_max.value));
    parser_->body_limit(static_cast<std::uint64_t>(limits().body_bytes_max.value));
    has_begun_ = is_answered_ = false;
    enter(Phase::kIdle, limits().idle_max);
}

void Connection::parse() {
    if (phase_ == Phase::kIdle && input_.size() > 0) enter(Phase::kHead, limits().head_max);
    while (phase_ == Phase::kHead || phase_ == Phase::kBody) {
        if (!parse_step()) return;
    }
}

// Gives the parser what is there. Returns false when it needs more, or nothing is left to parse.
bool Connection::parse_step() {
    if (input_.size() == 0) return false;
    error_code ec;
    const size_t used = parser_->put(input_.data(), ec);
    input_.consume(used);
    if (ec == beast::http::error::need_more) return false;
    if (ec) {
        refuse_parse_error(ec);
        return false;
    }
    if (phase_ == Phase::kHead && parser_->is_header_done() && !on_head()) return false;
    if (parser_->is_done()) {
        on_request();
        return false;
    }
    return used > 0;
}

// The head is there, the body perhaps not: what can be refused now need not be sent at all.
bool Connection::on_head() {
    enter(Phase::kBody, limits().body_max);
    parser_->eager(true);
    keep_alive_ = parser_->get().keep_alive();
    is_chunked_ = parser_->get().version() >= 11;
    has_no_body_ = parser_->get().method() == beast::http::verb::head;
    if (const auto refusal = objection()) {
        refuse(*refusal);
        return false;
    }
    if (lower(view(parser_->get()[beast::http::field::expect])) == "100-continue") {
        pending_ += "HTTP/1.1 100 Continue\r\n\r\n";
        flush();
    }
    return true;
}

std::optional<Refusal> Connection::objection() {
    if (origin_.is_unix || !origin_.is_loopback) return std::nullopt;
    const auto& head = parser_->get();
    const std::string_view host = view(head[beast::http::field::host]);
    if (head.version() >= 11 && host.empty())
        return Refusal{400, "missing_host", "HTTP/1.1 needs a Host header"};
    if (!host.empty() && !is_host_allowed(host, host_.own_addresses())) {
        return Refusal{
            403, "host_denied",
            fmt::format("Host \"{}\" is not this machine: use localhost or 127.0.0.1", host)};
    }
    std::string_view origin = view(head[beast::http::field::origin]);
    if (origin.empty()) return std::nullopt;
    const size_t scheme = origin.find("://");
    if (scheme != std::string_view::npos) origin.remove_prefix(scheme + 3);
    if (is_host_allowed(origin, host_.own_addresses())) return std::nullopt;
    return Refusal{403, "origin_denied",
                   fmt::format("a web page of \"{}\" may not use this server", origin)};
}

void Connection::refuse_parse_error(const error_code& ec) {
    keep_alive_ = false;
    is_chunked_ = true;
    if (ec == beast::http::error::body_limit) {
        return refuse({413, "body_too_large",
                       fmt::format("the body is larger than {} bytes, the most that is accepted",
                                   limits().body_bytes_max.value)});
    }
    if (ec == beast::http::error::header_limit) {
        return refuse(
            {431, "headers_too_large",
             fmt::format("the headers are larger than {} bytes", limits().header_bytes_max.value)});
    }
    refuse({400, "bad_http", fmt::format("not an HTTP request: {}", ec.message())});
}

void Connection::refuse(const Refusal& refusal) {
    keep_alive_ = false;  // the rest of the request is still on its way
    enter(Phase::kAnswering, limits().stall_max);
    respond(serial_, host_.settings->refuse(refusal));
}

void Connection::on_request() {
    auto message = parser_->release();
    Request request;
    request.method = std::string(view(message.method_string()));
    const std::string_view target = view(message.target());
    const size_t mark = target.find('?');
    request.path = percent_decode(target.substr(0, mark));
    if (mark != std::string_view::npos) request.query = std::string(target.substr(mark + 1));
    request.headers = headers_of(message);
    request.body = std::move(message.body());
    request.is_local = origin_.is_unix || origin_.is_loopback;
    enter(Phase::kAnswering, limits().stall_max);
    host_.settings->handler(std::move(request), Responder(shared_from_this(), serial_));
}

// ---- answering ---------------------------------------------------------------------------------

bool Connection::is_answering(uint64_t serial) const {
    return phase_ == Phase::kAnswering && serial == serial_ && !is_answered_;
}

void Connection::respond(uint64_t serial, Response response) {
    if (!is_answering(serial) || has_begun_) return;
    append_head(response, false);
    if (!has_no_body_) pending_ += response.body;
    end_answer();
}

void Connection::begin(uint64_t serial, Response head) {
    if (!is_answering(serial) || has_begun_) return;
    has_begun_ = true;
    if (!is_chunked_)
        keep_alive_ = false;  // HTTP/1.0: the end of the stream is the end of the body
    append_head(head, true);
    append_piece(head.body);
    flush();
}

void Connection::write(uint64_t serial, std::string_view piece) {
    if (!is_answering(serial) || !has_begun_) return;
    append_piece(piece);
    const auto limit = static_cast<size_t>(limits().stream_bytes_max.value);
    if (pending_.size() > limit + piece.size()) return close();
    flush();
}

void Connection::finish(uint64_t serial) {
    if (!is_answering(serial) || !has_begun_) return;
    if (is_chunked_ && !has_no_body_) pending_ += "0\r\n\r\n";
    end_answer();
}

void Connection::on_gone(uint64_t serial, std::function<void()> gone) {
    if (phase_ == Phase::kClosed && serial == serial_ && !is_answered_) return gone();
    if (is_answering(serial)) gone_ = std::move(gone);
}

void Connection::append_head(const Response& head, bool is_streamed) {
    auto out = std::back_inserter(pending_);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", head.status,
                   reason_phrase(head.status), head.content_type);
    if (!is_streamed)
        fmt::format_to(out, "Content-Length: {}\r\n", head.body.size());
    else if (is_chunked_)
        pending_ += "Transfer-Encoding: chunked\r\n";
    for (const auto& [name, value] : head.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
    pending_ += keep_alive_ ? "\r\n" : "Connection: close\r\n\r\n";
}

void Connection::append_piece(std::string_view piece) {
    if (piece.empty() || has_no_body_) return;  // an empty chunk would end the body
    if (!is_chunked_) {
        pending_ += piece;
        return;
    }
    fmt::format_to(std::back_inserter(pending_), "{:x}\r\n", piece.size());
    pending_ += piece;
    pending_ += "\r\n";
}

void Connection::end_answer() {
    is_answered_ = true;
    gone_ = nullptr;
    flush();
}

// ---- writing -----------------------------------------------------------------------------------

void Connection::flush() {
    if (is_writing_ || phase_ == Phase::kClosed) return;
    if (in_flight_done_ == in_flight_.size()) {
        in_flight_.clear();
        in_flight_done_ = 0;
        in_flight_.swap(pending_);
    }
    if (in_flight_.empty()) return;
    is_writing_ = true;
    if (phase_ == Phase::kAnswering) enter(Phase::kAnswering, limits().stall_max);
    socket_.async_write_some(boost::asio::buffer(in_flight_.data() + in_flight_done_,
                                                 in_flight_.size() - in_flight_done_),
                             [self = shared_from_this()](const error_code& ec, size_t count) {
                                 self->on_written(ec, count);
                             });
}

void Connection::on_written(const error_code& ec, size_t count) {
    is_writing_ = false;
    if (phase_ == Phase::kClosed) return;
    if (ec) return close();
    in_flight_done_ += count;
    flush();
    if (is_writing_ || !is_answered_ || phase_ != Phase::kAnswering) return;
    if (in_flight_.capacity() > kReadBytes)
        in_flight_ = {};  // a large answer's memory is given back
    if (!keep_alive_) return linger();
    next_request();
    parse();
    read();
}

// ---- the end -----------------------------------------------------------------------------------

void Connection::linger() {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    enter(Phase::kLinger, kLingerMax);
    input_.consume(input_.size());
    read();
}

void Connection::close_when_idle() {
    keep_alive_ = false;
    if (phase_ == Phase::kIdle) close();
}

void Connection::check_deadline(SteadyTime now) {
    if (now < deadline_) return;
    // A handler may take as long as it likes; only a client that takes no bytes is cut off.
    if (phase_ == Phase::kAnswering && !is_writing_) return;
    close();
}

void Connection::close() {
    if (phase_ == Phase::kClosed) return;
    phase_ = Phase::kClosed;
    const auto self = shared_from_this();  // `closed` drops the server's hold
    error_code ignored;
    socket_.close(ignored);
    if (gone_ && !is_answered_) std::exchange(gone_, nullptr)();
    host_.closed(this);
}

// ---- the handle --------------------------------------------------------------------------------

Responder::Responder(std::shared_ptr<Connection> connection, uint64_t serial)
    : connection_(std::move(connection)), serial_(serial) {}

void Responder::respond(Response response) const {
    if (!connection_) return;
    boost::asio::dispatch(connection_->executor(),
                          [c = connection_, s = serial_, r = std::move(response)]() mutable {
                              c->respond(s, std::move(r));
                          });
}

void Responder::begin(Response head) const {
    if (!connection_) return;
    boost::asio::dispatch(connection_->executor(),
                          [c = connection_, s = serial_, h = std::move(head)]() mutable {
                              c->begin(s, std::move(h));
                          });
}

void Responder::write(std::string piece) const {
    if (!connection_) return;
    boost::asio::dispatch(connection_->executor(),
                          [c = connection_, s = serial_, p = std::move(piece)] { c->write(s, p); });
}

void Responder::finish() const {
    if (!connection_) return;
    boost::asio::dispatch(connection_->executor(),
                          [c = connection_, s = serial_] { c->finish(s); });
}

void Responder::on_gone(std::function<void()> gone) const {
    if (!connection_) return;
    boost::asio::dispatch(connection_->executor(),
                          [c = connection_, s = serial_, g = std::move(gone)]() mutable {
                              c->on_gone(s, std::move(g));
                          });
}

}  // namespace hotdesk::http
