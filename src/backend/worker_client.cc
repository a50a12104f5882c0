// SPDX-License-Identifier: MIT
#include "backend/worker_client.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <unordered_map>

#include "backend/spawn.h"

namespace hotdesk {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr size_t kReadBytes = 64 * 1024;
constexpr size_t kStderrBytesKept =
    4096;  // some forty lines: the end of a ggml abort with its backtrace
constexpr size_t kStderrReadBytes = 4096;

}  // namespace

// Shared with the handlers of the operations under way, which the io_context destroys last.
class WorkerClient::Impl : public std::enable_shared_from_this<Impl> {
  public:
    Impl(asio::io_context& io, Spawned spawned, WorkerHandlers handlers)
        : pid_(spawned.pid),
          socket_(io, asio::local::stream_protocol(), spawned.socket.release()),
          stderr_(io, spawned.stderr_pipe.release()),
          pidfd_(io, spawned.pidfd.release()),
          handlers_(std::move(handlers)) {}

    void begin() {
        read();
        read_stderr();
        pidfd_.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](const error_code& ec) {
                              if (!ec) self->on_exit();
                          });
    }
    void generate(uint64_t id, std::string_view line, CallHandlers handlers) {
        calls_[id] = std::move(handlers);
        send(line);
    }
    void send(std::string_view line) {
        pending_ += line;
        flush();
    }
    void quit() {
        is_unwanted_ = true;
        send(wire::encode(wire::Quit{}));
    }
    void kill() {
        is_unwanted_ = true;
        if (!is_gone_) ::kill(pid_, SIGKILL);
    }
    void abandon();
    int pid() const { return pid_; }

  private:
    void read();
    void flush();
    void on_bytes(size_t count);
    void on_line(std::string_view line);
    void on_frame(const wire::Loading& frame) {
        if (handlers_.on_loading) handlers_.on_loading(frame.permille);
    }
    void on_frame(const wire::Ready& frame) {
        if (handlers_.on_ready) handlers_.on_ready(frame);
    }
    void on_frame(const wire::LoadFailed& frame) { last_words_ = frame.error; }
    void on_frame(const wire::Delta& frame);
    void on_frame(const wire::Finished& frame);
    void on_frame(const wire::Broken& frame);
    template <class Frame>
    void on_frame(const Frame& frame) {
        if (handlers_.on_other) handlers_.on_other(frame);
    }
    CallHandlers take(uint64_t id);
    void on_bad_stream(std::string what);
    void read_stderr();
    void on_stderr_bytes(size_t count);
    void on_exit();
    void drain();
    Error obituary(int status) const;

    pid_t pid_;
    asio::local::stream_protocol::socket socket_;
    asio::posix::stream_descriptor stderr_, pidfd_;
    WorkerHandlers handlers_;
    std::unordered_map<uint64_t, CallHandlers> calls_;
    std::string input_;  // bytes of lines not complete yet, then room for the next read
    size_t input_size_ = 0;
    size_t scanned_ = 0;  // input_[0, scanned_) has no '\n'
    std::string pending_, in_flight_;
    bool is_writing_ = false;
    std::string stderr_buffer_ = std::string(kStderrReadBytes, '\0');
    std::string stderr_tail_, stderr_line_;
    Error last_words_;
    bool is_unwanted_ = false;  // quit or killed by us
    bool is_gone_ = false;
};

// ---- frames in ---------------------------------------------------------------------------------

void WorkerClient::Impl::read() {
    if (is_gone_) return;
    if (input_.size() < input_size_ + kReadBytes) input_.resize(input_size_ + kReadBytes);
    socket_.async_read_some(asio::buffer(input_.data() + input_size_, kReadBytes),
                            [self = shared_from_this()](const error_code& ec, size_t count) {
                                if (self->is_gone_) return;
                                // A worker without its socket is of no use. One that is ending
                                // anyway keeps its exit code, which on_exit() reports.
                                if (ec) return static_cast<void>(::kill(self->pid_, SIGKILL));
                                self->on_bytes(count);
                                self->read();
                            });
}

// Hands on the complete lines. A handler may destroy the client, so is_gone_ is asked each time.
void WorkerClient::Impl::on_bytes(size_t count) {
    input_size_ += count;
    size_t begin = 0;
    while (!is_gone_) {
        const std::string_view all(input_.data(), input_size_);
        const size_t end = all.find('\n', std::max(begin, scanned_));
        if (end == std::string_view::npos) break;
        on_line(all.substr(begin, end - begin));
        begin = end + 1;
    }
    input_.erase(0, begin);
    input_size_ -= begin;
    scanned_ = input_size_;
    if (input_size_ > wire::kLineBytesMax)
        on_bad_stream(fmt::format("sent a line of more than {} bytes", wire::kLineBytesMax));
}

void WorkerClient::Impl::on_line(std::string_view line) {
    const auto frame = wire::decode_from_worker(line);
    if (!frame) return on_bad_stream("sent what is not a frame: " + frame.error().message);
    std::visit([this](const auto& f) { on_frame(f); }, *frame);
}

void WorkerClient::Impl::on_frame(const wire::Delta& frame) {
    const auto it = calls_.find(frame.id);
    if (it != calls_.end() && it->second.on_delta) it->second.on_delta(frame);
}

CallHandlers WorkerClient::Impl::take(uint64_t id) {
    auto node = calls_.extract(id);
    return node ? std::move(node.mapped()) : CallHandlers{};
}

void WorkerClient::Impl::on_frame(const wire::Finished& frame) {
    if (const auto call = take(frame.id); call.on_finished) call.on_finished(frame);
}

void WorkerClient::Impl::on_frame(const wire::Broken& frame) {
    if (const auto call = take(frame.id); call.on_broken) call.on_broken(frame);
}

// A worker that talks nonsense cannot be trusted with its calls: it is ended, and says why.
void WorkerClient::Impl::on_bad_stream(std::string what) {
    if (last_words_.message.empty())
        last_words_ = {Code::kInternal, "the worker " + std::move(what)};
    if (!is_gone_) ::kill(pid_, SIGKILL);
    input_size_ = scanned_ = 0;
}

// ---- frames out --------------------------------------------------------------------------------

void WorkerClient::Impl::flush() {
    if (is_writing_ || is_gone_ || pending_.empty()) return;
    in_flight_.clear();
    in_flight_.swap(pending_);
    is_writing_ = true;
    asio::async_write(socket_, asio::buffer(in_flight_),
                      [self = shared_from_this()](const error_code& ec, size_t) {
                          self->is_writing_ = false;
                          if (!ec) self->flush();
                      });
}

// ---- standard error ----------------------------------------------------------------------------

void WorkerClient::Impl::read_stderr() {
    if (is_gone_) return;
    stderr_.async_read_some(asio::buffer(stderr_buffer_),
                            [self = shared_from_this()](const error_code& ec, size_t count) {
                                if (ec || self->is_gone_) return;
                                self->on_stderr_bytes(count);
                                self->read_stderr();
                            });
}

void WorkerClient::Impl::on_stderr_bytes(size_t count) {
    const std::string_view bytes(stderr_buffer_.data(), count);
    stderr_tail_ += bytes;
    if (stderr_tail_.size() > kStderrBytesKept)
        stderr_tail_.erase(0, stderr_tail_.size() - kStderrBytesKept);
    for (const char c : bytes) {
        const bool is_end = c == '\n' || stderr_line_.size() == kStderrBytesKept;
        if (c != '\n') stderr_line_ += c;
        if (!is_end) continue;
        if (handlers_.on_stderr) handlers_.on_stderr(stderr_line_);
        stderr_line_.clear();
    }
}

// ---- the end -----------------------------------------------------------------------------------

// What the worker said before it ended is still in the sockets: a LoadFailed, the last tokens.
void WorkerClient::Impl::drain() {
    error_code ec;
    socket_.non_blocking(true, ec);
    while (!ec && !is_gone_) {
        input_.resize(input_size_ + kReadBytes);
        const size_t count =
            socket_.read_some(asio::buffer(input_.data() + input_size_, kReadBytes), ec);
        if (!ec) on_bytes(count);
    }
    ec.clear();
    stderr_.non_blocking(true, ec);
    while (!ec && !is_gone_) {
        const size_t count = stderr_.read_some(asio::buffer(stderr_buffer_), ec);
        if (!ec) on_stderr_bytes(count);
    }
}

void WorkerClient::Impl::on_exit() {
    const auto self = shared_from_this();
    drain();
    if (is_gone_) return;  // a handler let go of us
    is_gone_ = true;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    const bool crashed = !is_unwanted_ && last_words_.message.empty();
    Error error = is_unwanted_ ? Error{} : obituary(status);
    error_code ignored;
    socket_.close(ignored);
    stderr_.close(ignored);
    pidfd_.close(ignored);
    calls_.clear();
    const auto on_gone = std::move(handlers_.on_gone);
    if (on_gone) on_gone(std::move(error), crashed);
}

Error WorkerClient::Impl::obituary(int status) const {
    if (!last_words_.message.empty()) return last_words_;
    std::string message =
        fmt::format("worker pid {} died of {}", pid_, describe_wait_status(status));
    if (!stderr_tail_.empty()) message += "; it said last: " + stderr_tail_;
    while (message.ends_with('\n')) message.pop_back();
    return {Code::kUnavailable, std::move(message)};
}

void WorkerClient::Impl::abandon() {
    if (is_gone_) return;
    is_gone_ = true;  // the handlers stay: one of them may be what destroys the client
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    error_code ignored;
    socket_.close(ignored);
    stderr_.close(ignored);
    pidfd_.close(ignored);
}

// ---- the handle --------------------------------------------------------------------------------

Result<std::unique_ptr<WorkerClient>> WorkerClient::start(asio::io_context& io,
                                                          const WorkerCommand& command,
                                                          WorkerHandlers handlers) {
    HD_TRY(Spawned spawned, spawn_worker(command));
    auto impl = std::make_shared<Impl>(io, std::move(spawned), std::move(handlers));
    impl->begin();
    return std::unique_ptr<WorkerClient>(new WorkerClient(std::move(impl)));
}

WorkerClient::WorkerClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkerClient::~WorkerClient() {
    impl_->abandon();
}
void WorkerClient::generate(uint64_t id, std::string_view line, CallHandlers handlers) {
    impl_->generate(id, line, std::move(handlers));
}
void WorkerClient::cancel(uint64_t id) {
    impl_->send(wire::encode(wire::Cancel{id}));
}
void WorkerClient::send(const wire::ToWorker& frame) {
    impl_->send(wire::encode(frame));
}
void WorkerClient::quit() {
    impl_->quit();
}
void WorkerClient::kill() {
    impl_->kill();
}
int WorkerClient::pid() const {
    return impl_->pid();
}

}  // namespace hotdesk
