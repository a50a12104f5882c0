// SPDX-License-Identifier: MIT
#pragma once
// A loop for tests of the gateway: a thread and a queue like the real one's, and no policy. It
// starts each call at once, or keeps it waiting until told.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "daemon/gateway.h"
#include "daemon/loop_port.h"

namespace hotdesk {

class MiniLoop : public LoopPort {
  public:
    // What to do with an event, on the loop's thread.
    using Policy = std::function<void(Gateway&, State&, const Event&)>;

    MiniLoop(State state, Policy policy) : state_(std::move(state)), policy_(std::move(policy)) {}
    ~MiniLoop() override { stop(); }

    void run(Gateway& gateway) {
        thread_ = std::thread([this, &gateway] { turn(gateway); });
    }
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            is_stopped_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    bool post(Event event) override { return push(std::move(event)); }
    bool ask(Question question) override { return push(std::move(question)); }
    void post_next(Event event) override {
        const std::lock_guard lock(mutex_);
        queue_.push_front(std::move(event));
    }

    // A full queue: everything is refused.
    void set_full(bool full) {
        const std::lock_guard lock(mutex_);
        is_full_ = full;
    }

    // Blocks until an event of that kind is there and returns the first of them, taking it and
    // what came before it away.
    template <class Kind>
    Kind await() {
        std::unique_lock lock(mutex_);
        while (true) {
            while (!seen_.empty()) {
                const Event event = std::move(seen_.front());
                seen_.pop_front();
                if (const auto* found = std::get_if<Kind>(&event)) return *found;
            }
            changed_.wait(lock);
        }
    }

  private:
    using Item = std::variant<Event, Question>;

    bool push(Item item) {
        {
            const std::lock_guard lock(mutex_);
            if (is_full_) return false;
            queue_.push_back(std::move(item));
        }
        changed_.notify_all();
        return true;
    }

    void turn(Gateway& gateway) {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return is_stopped_ || !queue_.empty(); });
            if (is_stopped_) return;
            const Item item = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            if (const auto* event = std::get_if<Event>(&item))
                policy_(gateway, state_, *event);
            else
                std::get<Question>(item)(state_, snapshot_);
            lock.lock();
            if (const auto* event = std::get_if<Event>(&item)) seen_.push_back(*event);
            if (seen_.size() > kSeenMax) seen_.pop_front();
            changed_.notify_all();
        }
    }

    static constexpr size_t kSeenMax = 1000;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> queue_;
    std::deque<Event> seen_;
    State state_;
    Snapshot snapshot_;
    Policy policy_;
    std::thread thread_;
    bool is_stopped_ = false;
    bool is_full_ = false;
};

// One model "fake" with the alias "gpt-4o-mini", and the task "write".
inline State one_model_state() {
    State state;
    ModelSpec spec;
    spec.name = {"fake"};
    spec.aliases = {"gpt-4o-mini"};
    state.fleet.models[spec.name] = spec;
    state.fleet.tasks["write"] = {spec.name};
    return state;
}

// Starts what asks for the model, refuses the rest by name: enough policy for most tests. Names
// that begin with "refuse-" are refused as the loop would for that reason.
inline void start_at_once(Gateway& gateway, State&, const Event& event) {
    const auto* call = std::get_if<CallArrived>(&event);
    if (!call) return;
    const std::string& name = call->wanted;
    if (name == "refuse-queue_full")
        return gateway.refuse_call(call->call, Code::kBusy, {Reason::kQueueFull, 1, 500, ""});
    if (name == "refuse-cannot_fit")
        return gateway.refuse_call(call->call, Code::kNoSpace,
                                   {Reason::kCannotFit, gib(7).value, gib(5).value, "huge"});
    if (name == "refuse-wait_timeout")
        return gateway.refuse_call(call->call, Code::kTimeout,
                                   {Reason::kWaitOver, 8000, 8001, "gemma has the desk"});
    const bool is_known =
        name.empty() || name == "fake" || name == "gpt-4o-mini" || name == "task:write";
    if (is_known)
        gateway.start_call(call->call, {"fake"});
    else
        gateway.refuse_call(call->call, Code::kNotFound, {Reason::kNoSuchModel, 0, 0, name});
}

}  // namespace hotdesk
