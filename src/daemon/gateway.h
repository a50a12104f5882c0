// SPDX-License-Identifier: MIT
#pragma once
// The door: OpenAI's API for the agents, Hotdesk's own for people and programs, on TCP and Unix
// sockets. It reads and checks requests, announces calls to the loop, and carries tokens from the
// workers to the clients. It decides nothing.

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backend/worker_client.h"
#include "base/ids.h"
#include "base/result.h"
#include "core/why.h"
#include "daemon/gateway_calls.h"
#include "daemon/gateway_keys.h"
#include "daemon/http_types.h"
#include "daemon/loop_port.h"
#include "daemon/metrics.h"

namespace hotdesk {

struct GatewaySettings {
    CallsSettings calls;
    Bytes body_bytes_max = mib(64);
    std::string token;                 // for callers of other machines; "" = only this machine
    Millis default_wait = minutes(8);  // of an unnamed caller's call
};

// Requires: outlives the last turn of the io thread and of the loop. Thread: where a method does
// not say "any", before the io thread runs or on it.
class Gateway {
  public:
    Gateway(boost::asio::io_context& io, LoopPort& loop, GatewaySettings settings);
    ~Gateway();

    // "127.0.0.1:8111", "[::1]:8111", "unix:PATH". Errors: as http::Server::listen; kDenied for an
    // address that others can reach while there is no token.
    Status listen(const std::vector<std::string>& addresses);
    std::vector<std::string> addresses() const;

    // Adds a route of Hotdesk's own; "{}" stands for a segment. The handler runs on the io thread,
    // must not block, and may answer later from any thread.
    void route(std::string method, std::string pattern, http::Handler handler);
    // Call ids start here; they grow across restarts when the history says how far they got.
    void set_first_call_id(CallId first);
    // The worker of a model, or null when it has none. Its owner calls this again before it
    // destroys the client. Thread: io.
    void set_worker(const ModelName& model, WorkerClient* worker);

    // ---- Thread: any; carried to the io thread, in order ----
    void start_call(CallId id, ModelName model);
    // The client is told, if it still waits; a running call is cancelled first. Nothing happens
    // when the client has its answer or is gone, so this may follow every CloseCall that is not
    // kDone.
    void refuse_call(CallId id, Code code, Why why);
    void add_key(std::string key, CallerIdentity identity);
    void remove_key(std::string key);
    // Sends an event to everybody who listens at /hotdesk/v1/events.
    void publish_event(nlohmann::json event);
    Metrics& metrics();

    // Takes no new client; calls under way go on. Thread: any.
    void stop_accepting();
    // Closes every connection. Thread: any.
    void close();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace hotdesk
