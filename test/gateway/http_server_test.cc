// SPDX-License-Identifier: MIT
#include "daemon/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include <boost/asio/io_context.hpp>
#include <future>
#include <thread>

#include "daemon/io_timer.h"
#include "http_client.h"

namespace hotdesk::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Response refuse(const Refusal& refusal) {
    return {.status = refusal.status, .body = std::string(refusal.code)};
}

// Answers with what was asked: "POST /x body".
void echo(const Request& request, const Responder& responder) {
    responder.respond({.content_type = "text/plain",
                       .body = request.method + " " + request.path + " " + request.body});
}

// A server on a free port, on a thread of its own.
class Running {
  public:
    explicit Running(Handler handler, ServerLimits limits = {})
        : server_(io_, {.limits = limits, .handler = std::move(handler), .refuse = refuse}) {
        EXPECT_TRUE(server_.listen("127.0.0.1:0"));
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Running() {
        io_post(io_, [this] { server_.close(); });
        thread_.join();
    }
    std::string address() const { return server_.addresses()[0]; }
    Server& server() { return server_; }
    boost::asio::io_context& io() { return io_; }

  private:
    boost::asio::io_context io_{1};
    Server server_;
    std::thread thread_;
};

TEST(HttpServer, AnswersSeveralRequestsOnOneConnection) {
    Running running(echo);
    TestClient client(running.address());
    for (const char* body : {"one", "", "three"}) {
        client.post("/x%20y?z=1", body);
        EXPECT_THAT(client.read_response(), EndsWith(std::string("\r\n\r\nPOST /x y ") + body));
    }
}

TEST(HttpServer, AnswersRequestsSentAheadInTheirOrder) {
    Running running(echo);
    TestClient client(running.address());
    client.get("/1");
    client.get("/2");
    EXPECT_THAT(client.read_response(), EndsWith("GET /1 "));
    EXPECT_THAT(client.read_response(), EndsWith("GET /2 "));
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
    Running running(echo);
    TestClient client(running.address());
    for (const char c :
         std::string("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi"))
        client.send(std::string(1, c));
    EXPECT_THAT(client.read_response(), EndsWith("POST /x hi"));
}

TEST(HttpServer, TakesABodyAtTheLimitAndRefusesOneByteMore) {
    Running running(echo, {.body_bytes_max = Bytes{1000}});
    TestClient client(running.address());
    client.post("/x", std::string(1000, 'a'));
    EXPECT_EQ(status_of(client.read_response()), 200);
    client.post("/x", std::string(1001, 'a'));
    const std::string refused = client.read_to_end();
    EXPECT_EQ(status_of(refused), 413);
    EXPECT_THAT(refused, EndsWith("body_too_large"));
}

TEST(HttpServer, RefusesAChunkedBodyOverTheLimit) {
    Running running(echo, {.body_bytes_max = Bytes{10}});
    TestClient client(running.address());
    client.send("POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n" +
                std::string(20, 'a') + "\r\n0\r\n\r\n");
    EXPECT_EQ(status_of(client.read_to_end()), 413);
}

TEST(HttpServer, RefusesHeadersOverTheLimit) {
    Running running(echo, {.header_bytes_max = Bytes{500}});
    TestClient client(running.address());
    client.get("/x", "x: " + std::string(600, 'a') + "\r\n");
    EXPECT_EQ(status_of(client.read_to_end()), 431);
}

TEST(HttpServer, RefusesWhatIsNotHttpAndLivesOn) {
    Running running(echo);
    TestClient(running.address()).send("\x16\x03\x01 hello\r\n\r\n");
    TestClient client(running.address());
    client.send("HELLO\r\n\r\n");
    EXPECT_EQ(status_of(client.read_to_end()), 400);
    TestClient next(running.address());
    next.get("/x");
    EXPECT_EQ(status_of(next.read_response()), 200);
}

TEST(HttpServer, CutsOffAClientThatSendsItsHeadTooSlowly) {
    Running running(echo, {.head_max = Millis{1}});
    TestClient client(running.address());
    client.send("GET /x HTTP/1.1\r\nHost: loc");
    EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, RefusesAHostThatIsNotThisMachine) {
    Running running(echo);
    for (const char* host : {"evil.example", "evil.example:80", "127.0.0.1.evil.example"}) {
        TestClient client(running.address());
        client.send(fmt::format("GET /x HTTP/1.1\r\nHost: {}\r\n\r\n", host));
        EXPECT_THAT(client.read_to_end(), EndsWith("host_denied")) << host;
    }
    for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:5", "127.9.9.9", "[::1]:7"}) {
        TestClient client(running.address());
        client.send(fmt::format("GET /x HTTP/1.1\r\nHost: {}\r\n\r\n", host));
        EXPECT_EQ(status_of(client.read_response()), 200) << host;
    }
}

TEST(HttpServer, RefusesAPageOfAnotherOrigin) {
    Running running(echo);
    TestClient client(running.address());
    client.post("/x", "{}", "Origin: https://evil.example\r\n");
    EXPECT_THAT(client.read_to_end(), EndsWith("origin_denied"));
    TestClient own(running.address());
    own.post("/x", "{}", "Origin: http://localhost:5173\r\n");
    EXPECT_EQ(status_of(own.read_response()), 200);
}

TEST(HttpServer, AsksForTheBodyOfAClientThatWaitsToSendIt) {
    Running running(echo);
    TestClient client(running.address());
    client.send(
        "POST /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("hi");
    EXPECT_THAT(client.read_response(), EndsWith("POST /x hi"));
}

TEST(HttpServer, StreamsInChunksAndToAnOldClientUntilTheEnd) {
    Running running([](const Request&, const Responder& responder) {
        responder.begin({.content_type = "text/plain", .body = "one"});
        responder.write("two");
        responder.finish();
    });
    TestClient client(running.address());
    client.get("/x");
    EXPECT_THAT(client.read_until("0\r\n\r\n"), EndsWith("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
    TestClient old(running.address());
    old.send("GET /x HTTP/1.0\r\n\r\n");
    EXPECT_THAT(old.read_to_end(), EndsWith("\r\n\r\nonetwo"));
}

TEST(HttpServer, SendsNoBodyToHead) {
    Running running(echo);
    TestClient client(running.address());
    client.send(
        "HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /y HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 8\r\n"));
    EXPECT_THAT(client.read_response(), EndsWith("GET /y "));
}

TEST(HttpServer, SaysAtOnceThatAWaitingClientHungUp) {
    std::promise<void> waiting, gone;
    Running running([&](const Request&, const Responder& responder) {
        responder.on_gone([&] { gone.set_value(); });
        waiting.set_value();
    });
    TestClient client(running.address());
    client.get("/x");
    waiting.get_future().wait();
    client.hang_up();
    gone.get_future().wait();  // hangs, and the test with it, where nobody notices
}

TEST(HttpServer, TakesAnAnswerFromAnotherThreadAndIgnoresASecondOne) {
    std::promise<Responder> asked;
    Running running([&](const Request& request, const Responder& responder) {
        if (request.path == "/later")
            asked.set_value(responder);
        else
            responder.respond({.body = "next"});
    });
    TestClient client(running.address());
    client.get("/later");
    const Responder responder = asked.get_future().get();
    responder.respond({.body = "first"});
    EXPECT_THAT(client.read_response(), EndsWith("first"));
    responder.respond({.body = "second"});
    client.get("/next");
    EXPECT_THAT(client.read_response(), EndsWith("next"));
}

TEST(HttpServer, EndsAStreamThatItsClientDoesNotTake) {
    std::promise<void> gone;
    Running running(
        [&](const Request&, const Responder& responder) {
            responder.on_gone([&] { gone.set_value(); });
            responder.begin({.content_type = "text/plain"});
            // More than any socket buffer holds, while the client reads nothing.
            for (int i = 0; i < 1000; ++i) responder.write(std::string(64 * 1024, 'a'));
        },
        {.stream_bytes_max = kib(256)});
    TestClient client(running.address());
    client.get("/x");
    gone.get_future().wait();
}

TEST(HttpServer, StopsTakingClientsButEndsWhatItBegan) {
    std::promise<Responder> asked;
    Running running(
        [&](const Request&, const Responder& responder) { asked.set_value(responder); });
    TestClient client(running.address());
    client.get("/x");
    const Responder responder = asked.get_future().get();
    std::promise<void> stopped;
    io_post(running.io(), [&] {
        running.server().stop_accepting();
        stopped.set_value();
    });
    stopped.get_future().wait();
    EXPECT_FALSE(TestClient(running.address()).is_connected());
    responder.respond({.body = "done"});
    EXPECT_THAT(client.read_to_end(), AllOf(HasSubstr("Connection: close"), EndsWith("done")));
}

TEST(HttpServer, NamesAnAddressThatItCannotUse) {
    boost::asio::io_context io;
    Server first(io, {.handler = echo, .refuse = refuse}),
        second(io, {.handler = echo, .refuse = refuse});
    ASSERT_TRUE(first.listen("127.0.0.1:0"));
    EXPECT_EQ(second.listen(first.addresses()[0]).error().code, Code::kBusy);
    for (const char* bad :
         {"", "8111", "example.com:80", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:8x", "unix:"})
        EXPECT_EQ(second.listen(bad).error().code, Code::kInvalid) << bad;
}

TEST(HttpServer, ReplacesADeadUnixSocketAndNotALivingOne) {
    const std::string address =
        fmt::format("unix:{}http_server_test.{}.sock", testing::TempDir(), ::getpid());
    boost::asio::io_context io;
    Server first(io, {.handler = echo, .refuse = refuse}),
        second(io, {.handler = echo, .refuse = refuse});
    ASSERT_TRUE(first.listen(address));
    EXPECT_EQ(second.listen(address).error().code, Code::kBusy);
    first.close();
    EXPECT_TRUE(second.listen(address));
    second.close();
    // A file that a killed daemon left: bound once, never to be answered.
    {
        Fd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        address.copy(name.sun_path, sizeof name.sun_path - 1, 5);
        ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    }
    EXPECT_TRUE(Server(io, {.handler = echo, .refuse = refuse}).listen(address));
}

}  // namespace
}  // namespace hotdesk::http
