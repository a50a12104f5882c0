// SPDX-License-Identifier: MIT
#include "daemon/desk_turn.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "os/desk_ticket.h"

namespace hotdesk {
namespace {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

// A full disk or a missing permission is mended by hand; looking every few seconds costs nothing.
constexpr auto kRetry = std::chrono::seconds(5);

}  // namespace

class DeskTurn::Impl : public std::enable_shared_from_this<Impl> {
  public:
    Impl(asio::io_context& io, LoopPort& loop, DeskPlace place)
        : io_(io), loop_(loop), place_(std::move(place)), retry_(io) {}

    void queue() {
        if (ticket_) return;
        auto ticket =
            DeskTicket::enqueue({.place = place_, .what = "models of the hotdesk daemon"});
        if (!ticket) return try_later(ticket.error());
        ticket_.emplace(std::move(*ticket));
        turn_.emplace(io_, ::dup(ticket_->watch_fd()));
        advance();
    }

    void release() {
        retry_.cancel();
        turn_.reset();
        line_.reset();
        ticket_.reset();
        strangers_wait_ = false;
        told_.clear();
    }

  private:
    void try_later(const Error& error) {
        spdlog::error("desk={} cannot stand in line: {}; next try in {} s", place_.desk,
                      error.message, kRetry.count());
        release();
        retry_.expires_after(kRetry);
        retry_.async_wait([self = shared_from_this()](auto ec) {
            if (!ec) self->queue();
        });
    }

    void advance() {
        auto granted = ticket_->poll_granted();
        if (!granted) return try_later(granted.error());
        if (!*granted) return wait_for_turn();
        turn_.reset();
        loop_.post(DeskGranted{});
        watch_line();
    }
    void wait_for_turn() {
        tell_who_has_it();
        turn_->async_wait(stream_descriptor::wait_read, [self = shared_from_this()](auto ec) {
            if (!ec && self->ticket_) self->advance();
        });
    }

    void tell_who_has_it() {
        auto ahead = ticket_->waiting_for();
        if (!ahead || !*ahead) return;
        const Ticket& head = (*ahead)->ticket;
        std::string by = fmt::format("pid {}{}", head.holder.pid,
                                     head.what.empty() ? "" : fmt::format(" ({})", head.what));
        if (by != told_) loop_.post(DeskTaken{by});
        told_ = by;
    }

    // Strangers come and go behind us while we hold the desk.
    void watch_line() {
        auto fd = ticket_->watch_line();
        if (!fd)
            return spdlog::warn("desk={} cannot see who waits: {}", place_.desk,
                                fd.error().message);
        line_.emplace(io_, fd->release());
        look_behind();
    }
    void look_behind() {
        auto behind = ticket_->waiters_behind();
        bool waits = behind && *behind > 0;
        if (waits != strangers_wait_) loop_.post(StrangerWaits{waits});
        strangers_wait_ = waits;
        line_->async_wait(stream_descriptor::wait_read, [self = shared_from_this()](auto ec) {
            if (ec || !self->line_) return;
            self->drain_line();
            self->look_behind();
        });
    }
    void drain_line() {
        char buffer[4096];
        while (::read(line_->native_handle(), buffer, sizeof buffer) == sizeof buffer) {
        }
    }

    asio::io_context& io_;
    LoopPort& loop_;
    DeskPlace place_;
    asio::steady_timer retry_;
    std::optional<DeskTicket> ticket_;
    std::optional<stream_descriptor> turn_;  // a duplicate of the ticket's watch_fd
    std::optional<stream_descriptor> line_;
    bool strangers_wait_ = false;
    std::string told_;  // who has the desk, as the loop knows it
};

DeskTurn::DeskTurn(asio::io_context& io, LoopPort& loop, DeskPlace place)
    : impl_(std::make_shared<Impl>(io, loop, std::move(place))), io_(io) {}

// Requires: the io thread has stopped; what waits on the descriptors is dropped with the context.
DeskTurn::~DeskTurn() {
    impl_->release();
}

void DeskTurn::queue() {
    asio::post(io_, [impl = impl_] { impl->queue(); });
}
void DeskTurn::release() {
    asio::post(io_, [impl = impl_] { impl->release(); });
}

}  // namespace hotdesk
