// SPDX-License-Identifier: MIT
#pragma once
// Asks the daemon over its Unix socket: one short HTTP/1.1 exchange a question, blocking. Plain
// sockets, because the daemon's own side of HTTP (Boost.Beast) would double the CLI's build time.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hotdesk {

// Where a daemon of this user and this config would be.
struct Whereabouts {
    std::string socket;     // $HOTDESK_SOCKET, or the config's first "unix:" address
    std::string state_dir;  // of the config; hotdesk.db is in it
};

// A config with errors is passed over: the places it would have by default are taken.
Whereabouts daemon_whereabouts();

// Thread: one.
class Client {
  public:
    explicit Client(std::string socket) : socket_(std::move(socket)) {}

    // `path` follows /hotdesk/v1/. Errors: kUnavailable when no daemon answers, saying what to do;
    // else the daemon's own code and message.
    Result<nlohmann::json> get(std::string_view path) const { return ask("GET", path); }
    Result<nlohmann::json> post(std::string_view path) const { return ask("POST", path); }

  private:
    Result<nlohmann::json> ask(std::string_view method, std::string_view path) const;

    std::string socket_;
};

// "my agent" -> "my%20agent": one segment of a path, or a value of a query.
std::string percent_encode(std::string_view text);

// A whole HTTP response as it came. Returns: its body, or the error that it tells. Errors:
// kInternal for what is no answer of ours. Pure.
Result<nlohmann::json> read_answer(std::string_view response);

}  // namespace hotdesk
