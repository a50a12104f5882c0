// SPDX-License-Identifier: MIT
#include "os/patient_probe.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace hotdesk {

// One question at a time goes over, one answer comes back: too little for an event queue, and its
// reader must be able to give up. Hence a mutex and two flags.
struct PatientProbe::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_asked = false;
    bool is_over = false;
    std::optional<DeviceReading> answer;

    void answer_questions(const std::function<DeviceReading()>& ask) {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [&] { return is_asked || is_over; });
            if (is_over) return;
            lock.unlock();
            DeviceReading reading = ask();
            lock.lock();
            answer = std::move(reading);
            is_asked = false;
            changed.notify_all();
        }
    }
};

PatientProbe::PatientProbe(Options options)
    : name_(std::move(options.name)),
      patience_(options.patience),
      shared_(std::make_shared<Shared>()) {
    std::thread([shared = shared_, ask = std::move(options.ask)] {
        shared->answer_questions(ask);
    }).detach();  // joining would hang where the driver hangs
}

PatientProbe::~PatientProbe() {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_over = true;
    shared_->changed.notify_all();
}

DeviceReading PatientProbe::read() {
    std::unique_lock lock(shared_->mutex);
    // An answer that came after we had given up is from an older question, but it is an answer.
    if (!shared_->answer) {
        shared_->is_asked = true;
        shared_->changed.notify_all();
        shared_->changed.wait_for(lock, std::chrono::milliseconds(patience_.value),
                                  [&] { return shared_->answer.has_value(); });
    }
    if (!shared_->answer)
        return failed_device(
            fmt::format("{} has not answered within {} ms", name_, patience_.value));
    DeviceReading reading = std::move(*shared_->answer);
    shared_->answer.reset();
    return reading;
}

}  // namespace hotdesk
