// SPDX-License-Identifier: MIT
#include "daemon/gateway_keys.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "daemon/http_router.h"

namespace hotdesk {
namespace {

http::Request request(const std::string& authorization, bool is_local = true,
                      const std::string& path = "/v1/models") {
    http::Request out;
    out.path = path;
    out.is_local = is_local;
    if (!authorization.empty()) out.headers = {{"authorization", authorization}};
    return out;
}

// "inbox", "" or the code of the refusal.
std::string who(const KeyRing& keys, const http::Request& from) {
    const auto identity = keys.identify(from);
    return identity ? identity->agent.value : identity.error().code;
}

TEST(KeyRing, KnowsARunByItsKeyFromAnywhereUntilItIsTakenAway) {
    KeyRing keys("", minutes(8));
    keys.add("k1", {.run = RunId{1}, .agent = {"inbox"}, .wait = seconds(5)});
    EXPECT_EQ(who(keys, request("Bearer k1")), "inbox");
    EXPECT_EQ(who(keys, request("bearer k1", false)), "inbox");
    EXPECT_EQ(who(keys, request("Bearer k1", true, "/a/other/v1/models")), "inbox");
    keys.remove("k1");
    EXPECT_EQ(who(keys, request("Bearer k1")), "unknown_key");
}

TEST(KeyRing, TakesUnnamedCallersOfThisMachineOnly) {
    const KeyRing keys("", minutes(8));
    for (const char* key : {"", "Bearer hotdesk", "Basic abc", "Bear"}) {
        EXPECT_EQ(who(keys, request(key)), "") << key;
        EXPECT_EQ(who(keys, request(key, false)), "token_needed") << key;
    }
    EXPECT_EQ(keys.identify(request(""))->wait, minutes(8));
    EXPECT_EQ(who(keys, request("", true, "/a/triage/v1/models")), "triage");
    EXPECT_EQ(who(keys, request("Bearer hotdes")), "unknown_key");
}

TEST(KeyRing, TakesTheTokenFromAnotherMachine) {
    const KeyRing keys("secret", minutes(8));
    EXPECT_EQ(who(keys, request("Bearer secret", false)), "");
    for (const char* wrong : {"Bearer secreT", "Bearer secre", "Bearer secret2", "Bearer "})
        EXPECT_EQ(who(keys, request(wrong, false)), "token_needed") << wrong;
    EXPECT_TRUE(keys.may_control(request("Bearer secret", false)));
    EXPECT_FALSE(keys.may_control(request("", false)));
    EXPECT_TRUE(keys.may_control(request("", true)));
    EXPECT_FALSE(KeyRing("", minutes(8)).may_control(request("Bearer ", false)));
}

TEST(AgentPrefix, IsTakenOffWhereThereIsOne) {
    for (const auto& [before, agent, after] :
         std::vector<std::array<std::string, 3>>{{"/a/x/v1/models", "x", "/v1/models"},
                                                 {"/a/x", "", "/a/x"},
                                                 {"/a//v1", "", "/a//v1"},
                                                 {"/v1", "", "/v1"}}) {
        std::string path = before;
        EXPECT_EQ(take_agent_prefix(path), agent);
        EXPECT_EQ(path, after);
    }
}

TEST(Router, FindsTheHandlerThePiecesAndTheOtherMethods) {
    http::Router router;
    router.add("GET", "/agents/{}/logs", [](http::Request, http::Responder) {});
    router.add("POST", "/agents/{}/run", [](http::Request, http::Responder) {});
    EXPECT_EQ(router.match("GET", "/agents/inbox/logs").params, std::vector<std::string>{"inbox"});
    EXPECT_NE(router.match("HEAD", "/agents/inbox/logs").handler, nullptr);
    EXPECT_EQ(router.match("GET", "/agents/inbox/run").methods, std::vector<std::string>{"POST"});
    for (const char* path : {"", "/", "agents/x/run", "/agents", "/agents//run", "/agents/x/run/",
                             "/agents/x/y/run"}) {
        const auto match = router.match("POST", path);
        EXPECT_TRUE(match.handler == nullptr && match.methods.empty()) << path;
    }
}

TEST(HttpRequest, ReadsHeadersAndQuery) {
    http::Request r;
    r.query = "a=1&name=a%20b&flag&bad=%zz";
    EXPECT_EQ(r.query_value("name"), "a b");
    EXPECT_EQ(r.query_value("flag"), "");
    EXPECT_EQ(r.query_value("bad"), "%zz");
    EXPECT_EQ(r.query_value("none"), "");
    EXPECT_EQ(http::percent_decode("%41%2"), "A%2");
}

}  // namespace
}  // namespace hotdesk
