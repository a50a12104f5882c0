// SPDX-License-Identifier: MIT
#pragma once
// The calls under way: accepted from clients, announced to the loop, carried between a worker and
// its client once the loop says so. Control goes through the loop; tokens go around it.
//
//   client -> accept -> CallArrived -> (loop) -> start -> worker -> tokens -> client ->
//   CallFinished
//                                            \-> refuse -> error -> client

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/worker_client.h"
#include "core/event.h"
#include "daemon/gateway_call.h"
#include "daemon/gateway_keys.h"
#include "daemon/gateway_place.h"
#include "daemon/http_types.h"
#include "daemon/io_timer.h"
#include "daemon/loop_port.h"
#include "daemon/metrics.h"

namespace hotdesk {

enum class WaitNotice : uint8_t { kComment, kOff };

struct CallsSettings {
    Millis heartbeat = seconds(10);            // nothing sent for this long: a sign of life
    Millis stream_headers_after = seconds(5);  // a stream's headers go out, the answer there or not
    // An answer in one piece: later, because an error after its headers can have no status, and
    // early enough for clients that give up after 300 s without headers.
    Millis plain_headers_after = seconds(60);
    WaitNotice wait_notice = WaitNotice::kComment;
};

// Thread: io only.
class GatewayCalls {
  public:
    GatewayCalls(boost::asio::io_context& io, LoopPort& loop, Metrics& metrics,
                 CallsSettings settings);
    ~GatewayCalls();

    void set_first_id(CallId first) { next_id_ = first; }
    // Takes a call that was read and checked, or answers why it cannot.
    void accept(const CallerIdentity& who, wire::ApiCall call, const http::Request& request,
                http::Responder responder);

    // Orders of the loop. A call that is not there any more is left alone: its client hung up, and
    // CallGone is on its way.
    void start(CallId id, const ModelName& model);
    void refuse(CallId id, Code code, const Why& why);
    // The client of that model, or null when it has none now. A call that was running there waits
    // for the loop to start or refuse it again.
    void set_worker(const ModelName& model, WorkerClient* worker);

    int count() const { return static_cast<int>(calls_.size()); }

  private:
    struct Entry {
        ClientCall client;
        std::string line;  // its wire::Generate
        ModelName model;   // it was last started on
        int attempt = 0;
        bool is_running = false;
        Instant arrived, started, last_sent;
    };

    void post(Event event);
    void flush_events();
    Entry* find(CallId id, int attempt);
    CallHandlers handlers(CallId id, int attempt);
    void on_delta(CallId id, int attempt, const wire::Delta& delta);
    void on_finished(CallId id, int attempt, const wire::Finished& finished);
    void on_broken(CallId id, int attempt, const wire::Broken& broken);
    void on_client_gone(CallId id);
    void refuse_with_names(CallId id, wire::ApiError error, const std::string& asked,
                           const std::vector<std::string>& names);
    void fail(CallId id, const wire::ApiError& error);
    void stop_worker(CallId id, const Entry& entry);
    void end(CallId id, CallOutcome outcome, const wire::Finished& finished = {});
    void tick();
    bool needs_sign_of_life(const Entry& entry, Instant now) const;
    void give_signs_of_life(const std::vector<CallId>& ids, const std::map<CallId, Place>& places);

    boost::asio::io_context& io_;
    LoopPort& loop_;
    Metrics& metrics_;
    CallsSettings settings_;
    IoTicker ticker_;
    CallId next_id_{1};
    std::unordered_map<uint64_t, Entry> calls_;
    std::map<ModelName, WorkerClient*> workers_;
    std::deque<Event> unposted_;  // the loop's queue was full; bounded by the number of calls
};

// What a client is told when the loop refuses its call.
wire::ApiError refusal(Code code, const Why& why);

}  // namespace hotdesk
