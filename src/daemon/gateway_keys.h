// SPDX-License-Identifier: MIT
#pragma once
// Who is calling. Each run has a key of its own, given to it as OPENAI_API_KEY, so that an agent
// which knows nothing of Hotdesk is still known by name, task and deadline.

#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "core/spec.h"
#include "daemon/http_types.h"
#include "wire/openai.h"

namespace hotdesk {

// What a key stands for.
struct CallerIdentity {
    RunId run;         // 0: not a run of ours
    AgentName agent;   // "" for an unnamed caller
    std::string task;  // what its calls ask for when they name no model
    Millis wait;       // longest wait of a call for the desk
    Privacy privacy = Privacy::kAny;
    Priority priority = Priority::kBatch;
};

// Thread: io only.
class KeyRing {
  public:
    // `token`: what a caller from another machine must show; "" = nobody may call from there.
    KeyRing(std::string token, Millis default_wait);

    void add(std::string key, CallerIdentity identity);
    void remove(const std::string& key);

    // A run's key names the run. No key, or "hotdesk", is an unnamed caller, allowed on this
    // machine only. A path /a/AGENT/... names the agent where the key does not. Errors: 401
    // unknown_key, token_needed.
    wire::ApiResult<CallerIdentity> identify(const http::Request& request) const;

    // Whether a caller may use the routes that are not about models.
    bool may_control(const http::Request& request) const;

  private:
    bool is_token(std::string_view key) const;

    std::map<std::string, CallerIdentity, std::less<>> keys_;
    std::string token_;
    Millis default_wait_;
};

// The key of "Authorization: Bearer KEY", or "".
std::string_view bearer(const http::Request& request);

// Takes "/a/AGENT" off the front of the path. Returns the agent, or "" when there is none.
std::string take_agent_prefix(std::string& path);

}  // namespace hotdesk
