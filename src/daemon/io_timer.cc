// SPDX-License-Identifier: MIT
#include "daemon/io_timer.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

namespace hotdesk {

void io_post(boost::asio::io_context& io, std::function<void()> work) {
    boost::asio::post(io, std::move(work));
}

// Shared with the wait under way, which may fire after the ticker was destroyed.
class IoTicker::Impl : public std::enable_shared_from_this<Impl> {
  public:
    Impl(boost::asio::io_context& io, Millis every, std::function<void()> tick)
        : timer_(io), every_(every.value), tick_(std::move(tick)) {}

    void start() {
        if (is_started_) return;
        is_started_ = true;
        wait();
    }
    void stop() {
        is_started_ = false;
        timer_.cancel();
    }

  private:
    void wait() {
        timer_.expires_after(every_);
        timer_.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
            if (ec || !self->is_started_) return;
            self->tick_();
            if (self->is_started_) self->wait();
        });
    }

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds every_;
    std::function<void()> tick_;
    bool is_started_ = false;
};

IoTicker::IoTicker(boost::asio::io_context& io, Millis every, std::function<void()> tick)
    : impl_(std::make_shared<Impl>(io, every, std::move(tick))) {}
IoTicker::~IoTicker() {
    impl_->stop();
}
void IoTicker::start() {
    impl_->start();
}
void IoTicker::stop() {
    impl_->stop();
}

}  // namespace hotdesk
