// SPDX-License-Identifier: MIT
#pragma once
// The one queue into the loop: any thread pushes, one thread waits. Bounded, so that a flood is
// refused at the door and not kept in memory.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace hotdesk {

template <class T>
class EventQueue {
  public:
    explicit EventQueue(size_t size_max) : size_max_(size_max) {}

    // Thread: any. False when the queue is full; the item is then dropped.
    bool push(T item) {
        std::lock_guard lock(mutex_);
        if (items_.size() >= size_max_) return false;
        items_.push_back(std::move(item));
        if (items_.size() == 1) filled_.notify_one();
        return true;
    }

    // Thread: the one consumer. Blocks until there is an item or `until` has come. Returns at most
    // `count_max` items in the order in which they were pushed.
    std::vector<T> wait(std::chrono::steady_clock::time_point until, size_t count_max) {
        std::unique_lock lock(mutex_);
        filled_.wait_until(lock, until, [&] { return !items_.empty(); });
        std::vector<T> taken;
        while (!items_.empty() && taken.size() < count_max) {
            taken.push_back(std::move(items_.front()));
            items_.pop_front();
        }
        return taken;
    }

  private:
    const size_t size_max_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<T> items_;
};

}  // namespace hotdesk
