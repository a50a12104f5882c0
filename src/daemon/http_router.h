// SPDX-License-Identifier: MIT
#pragma once
// Which handler a method and a path belong to. A pattern is a path whose segments may be "{}",
// which stand for one segment each: "/hotdesk/v1/agents/{}/run".

#include <string>
#include <string_view>
#include <vector>

#include "daemon/http_types.h"

namespace hotdesk::http {

struct Match {
    const Handler* handler = nullptr;  // null: no such path, or not with that method
    std::vector<std::string> params;
    std::vector<std::string> methods;  // that the path has, when the method is the problem
};

class Router {
  public:
    // A later route of the same method and pattern replaces the earlier one.
    void add(std::string method, std::string pattern, Handler handler);
    // A HEAD request finds the GET route; the server leaves the body out.
    Match match(std::string_view method, std::string_view path) const;

  private:
    struct Route {
        std::string method, pattern;
        Handler handler;
    };
    std::vector<Route> routes_;
};

}  // namespace hotdesk::http
