// SPDX-License-Identifier: MIT
#include "daemon/http_server.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <charconv>
#include <map>

#include "daemon/http_connection.h"

namespace hotdesk::http {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<stream_protocol, asio::io_context::executor_type>;

// Fifty agents that wake in the same second, and a thousand open streams, fit twice over. With a
// backlog of 5 a burst of 1,000 clients lost one in seven.
constexpr int kBacklog = 4096;
constexpr auto kSweepEvery = std::chrono::seconds(1);
// Out of descriptors: wait for some client to end rather than spin.
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

struct Endpoint {
    stream_protocol::endpoint at;
    Origin origin;
    std::string unix_path;
};

Result<Endpoint> tcp_endpoint(const std::string& address) {
    const auto bad = [&] {
        return fail(Code::kInvalid,
                    fmt::format("listen address \"{}\" is not HOST:PORT with a numeric "
                                "host, such as 127.0.0.1:8111 or [::1]:8111, "
                                "nor unix:PATH",
                                address));
    };
    const size_t colon = address.rfind(':');
    if (colon == std::string::npos) return bad();
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = "127.0.0.1";
    uint16_t port = 0;
    const char* end = address.data() + address.size();
    const auto [stop, error] = std::from_chars(address.data() + colon + 1, end, port);
    error_code ec;
    const auto ip = asio::ip::make_address(host, ec);
    if (ec || error != std::errc() || stop != end) return bad();
    return Endpoint{asio::ip::tcp::endpoint(ip, port), {false, ip.is_loopback()}, {}};
}

Result<Endpoint> parse_endpoint(const std::string& address) {
    if (!address.starts_with("unix:")) return tcp_endpoint(address);
    const std::string path = address.substr(5);
    constexpr size_t kPathMax = 107;  // sizeof sockaddr_un::sun_path, less its end
    if (path.empty() || path.size() > kPathMax) {
        return fail(Code::kInvalid,
                    fmt::format("the Unix socket path \"{}\" has {} bytes, 1 to {} are possible",
                                path, path.size(), kPathMax));
    }
    return Endpoint{asio::local::stream_protocol::endpoint(path), {true, true}, path};
}

Code code_of(const error_code& ec) {
    if (ec == asio::error::address_in_use) return Code::kBusy;
    if (ec == asio::error::access_denied || ec.value() == EPERM) return Code::kDenied;
    return Code::kUnavailable;
}

std::string print(const stream_protocol::endpoint& bound, const Endpoint& asked) {
    if (asked.origin.is_unix) return "unix:" + asked.unix_path;
    asio::ip::tcp::endpoint tcp;
    std::memcpy(tcp.data(), bound.data(), bound.size());
    tcp.resize(bound.size());
    const std::string ip = tcp.address().to_string();
    return fmt::format(fmt::runtime(tcp.address().is_v6() ? "[{}]:{}" : "{}:{}"), ip, tcp.port());
}

}  // namespace

class Server::Impl {
  public:
    Impl(asio::io_context& io, ServerSettings settings)
        : io_(io), settings_(std::move(settings)), sweep_timer_(io) {}

    ~Impl() { close(); }

    Status listen(const std::string& address);
    const std::vector<std::string>& addresses() const { return addresses_; }
    int connection_count() const { return static_cast<int>(connections_.size()); }
    void stop_accepting();
    void close();

  private:
    struct Listener {
        Acceptor acceptor;
        Origin origin;
        std::string unix_path;
        asio::steady_timer retry;
        bool is_accepting = false;
    };

    Status clear_dead_socket(const std::string& path);
    Status bind(Acceptor& acceptor, const Endpoint& endpoint, const std::string& address);
    void accept(Listener& listener);
    void on_accepted(Listener& listener, const error_code& ec, Socket socket);
    void on_closed(Connection* connection);
    void sweep();

    asio::io_context& io_;
    ServerSettings settings_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::vector<std::string> addresses_;
    std::map<Connection*, std::shared_ptr<Connection>> connections_;
    asio::steady_timer sweep_timer_;
    bool is_sweeping_ = false;
    bool is_closing_ = false;
};

// A socket file that nobody answers was left by a daemon that died.
Status Server::Impl::clear_dead_socket(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return {};
    if (!S_ISSOCK(info.st_mode))
        return fail(Code::kBusy, fmt::format("{} is there already and is not a socket", path));
    asio::local::stream_protocol::socket probe(io_);
    error_code ec;
    probe.connect(asio::local::stream_protocol::endpoint(path), ec);
    if (!ec) return fail(Code::kBusy, fmt::format("another daemon answers on {}", path));
    ::unlink(path.c_str());
    return {};
}

Status Server::Impl::bind(Acceptor& acceptor, const Endpoint& endpoint,
                          const std::string& address) {
    error_code ec;
    acceptor.open(endpoint.at.protocol(), ec);
    if (!ec && !endpoint.origin.is_unix) acceptor.set_option(Acceptor::reuse_address(true), ec);
    if (!ec && endpoint.at.protocol().family() == AF_INET6)
        acceptor.set_option(asio::ip::v6_only(true), ec);
    if (!ec) acceptor.bind(endpoint.at, ec);
    // Nobody can connect before listen(), so there is no moment when others could.
    if (!ec && endpoint.origin.is_unix) ::chmod(endpoint.unix_path.c_str(), 0600);
    if (!ec) acceptor.listen(kBacklog, ec);
    if (!ec) return {};
    return fail(code_of(ec), fmt::format("cannot listen on {}: {}", address, ec.message()));
}

Status Server::Impl::listen(const std::string& address) {
    HD_TRY(const Endpoint endpoint, parse_endpoint(address));
    if (endpoint.origin.is_unix) HD_TRY_VOID(clear_dead_socket(endpoint.unix_path));
    auto listener = std::make_unique<Listener>(
        Listener{Acceptor(io_), endpoint.origin, endpoint.unix_path, asio::steady_timer(io_)});
    HD_TRY_VOID(bind(listener->acceptor, endpoint, address));
    error_code ec;
    addresses_.push_back(print(listener->acceptor.local_endpoint(ec), endpoint));
    listeners_.push_back(std::move(listener));
    accept(*listeners_.back());
    return {};
}

void Server::Impl::accept(Listener& listener) {
    if (is_closing_ || listener.is_accepting) return;
    if (connection_count() >= settings_.limits.connections_max) return;  // on_closed() resumes
    listener.is_accepting = true;
    listener.acceptor.async_accept(io_, [this, &listener](const error_code& ec, Socket socket) {
        if (ec == asio::error::operation_aborted) return;
        on_accepted(listener, ec, Socket(std::move(socket)));
    });
}

void Server::Impl::on_accepted(Listener& listener, const error_code& ec, Socket socket) {
    listener.is_accepting = false;
    if (ec) {
        listener.is_accepting = true;
        listener.retry.expires_after(kAcceptRetry);
        listener.retry.async_wait([this, &listener](const error_code& stopped) {
            if (stopped) return;
            listener.is_accepting = false;
            accept(listener);
        });
        return;
    }
    error_code ignored;
    if (!listener.origin.is_unix) socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    const ConnectionHost host{&settings_, [this](Connection* c) { on_closed(c); },
                              [this]() -> const std::vector<std::string>& { return addresses_; }};
    auto connection = std::make_shared<Connection>(std::move(socket), listener.origin, host);
    connections_.emplace(connection.get(), connection);
    connection->start();
    if (!is_sweeping_) sweep();
    accept(listener);
}

void Server::Impl::on_closed(Connection* connection) {
    connections_.erase(connection);
    if (connection_count() + 1 < settings_.limits.connections_max) return;
    for (const auto& listener : listeners_) accept(*listener);
}

// One timer for all connections, and none while there is no connection: an idle daemon sleeps.
void Server::Impl::sweep() {
    is_sweeping_ = !connections_.empty() && !is_closing_;
    if (!is_sweeping_) return;
    sweep_timer_.expires_after(kSweepEvery);
    sweep_timer_.async_wait([this](const error_code& ec) {
        if (ec) return;
        const auto now = std::chrono::steady_clock::now();
        for (auto it = connections_.begin(); it != connections_.end();) {
            const auto connection = (it++)->second;  // its close() erases it
            connection->check_deadline(now);
        }
        sweep();
    });
}

void Server::Impl::stop_accepting() {
    is_closing_ = true;
    error_code ignored;
    for (const auto& listener : listeners_) {
        listener->acceptor.close(ignored);
        listener->retry.cancel();
        if (!listener->unix_path.empty()) ::unlink(listener->unix_path.c_str());
        listener->unix_path.clear();
    }
    for (auto it = connections_.begin(); it != connections_.end();)
        (it++)->second->close_when_idle();
}

void Server::Impl::close() {
    stop_accepting();
    for (auto it = connections_.begin(); it != connections_.end();) {
        const auto connection = (it++)->second;
        connection->close();
    }
    sweep_timer_.cancel();
}

Server::Server(asio::io_context& io, ServerSettings settings)
    : impl_(std::make_unique<Impl>(io, std::move(settings))) {}
Server::~Server() = default;
Status Server::listen(const std::string& address) {
    return impl_->listen(address);
}
std::vector<std::string> Server::addresses() const {
    return impl_->addresses();
}
void Server::stop_accepting() {
    impl_->stop_accepting();
}
void Server::close() {
    impl_->close();
}
int Server::connection_count() const {
    return impl_->connection_count();
}

}  // namespace hotdesk::http
