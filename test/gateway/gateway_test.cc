// SPDX-License-Identifier: MIT
#include "daemon/gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <future>
#include <thread>

#include "http_client.h"
#include "mini_loop.h"

namespace hotdesk {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kChat = "/v1/chat/completions";

std::string chat(std::string_view text, std::string_view more = "") {
    return fmt::format(R"({{"model":"fake","messages":[{{"role":"user","content":"{}"}}]{}}})",
                       text, more);
}
std::string stream(std::string_view text) {
    return chat(text, R"(,"stream":true)");
}

// Calls wait until the test says otherwise.
void keep_waiting(Gateway&, State& state, const Event& event) {
    const auto* arrived = std::get_if<CallArrived>(&event);
    if (!arrived) return;
    Call call;
    call.id = arrived->call;
    call.model = {"fake"};
    call.phase = CallPhase::kWaiting;
    state.calls[call.id] = call;
}

// The gateway, a loop and one fake worker.
class Desk {
  public:
    explicit Desk(MiniLoop::Policy policy = start_at_once, GatewaySettings settings = {},
                  std::vector<std::string> worker_args = {})
        : loop(one_model_state(), std::move(policy)),
          gateway(io, loop, std::move(settings)),
          worker_args_(std::move(worker_args)) {
        EXPECT_TRUE(gateway.listen({"127.0.0.1:0"}));
        loop.run(gateway);
        start_worker();
        thread_ = std::thread([this] { io.run(); });
        ready_.get_future().wait();
    }
    ~Desk() {
        loop.stop();
        io_post(io, [this] { io.stop(); });
        thread_.join();
    }

    TestClient client() const { return TestClient(gateway.addresses()[0]); }
    // A second worker of the same model, after the first has died.
    void restart_worker() {
        std::promise<void> started;
        io_post(io, [&] {
            ready_ = {};
            start_worker();
            started.set_value();
        });
        started.get_future().wait();
        ready_.get_future().wait();
    }
    // Waits until the worker has died and the gateway knows.
    void await_worker_gone() { gone_.get_future().wait(); }

    boost::asio::io_context io{1};
    MiniLoop loop;
    Gateway gateway;

  private:
    void start_worker() {
        std::vector<std::string> argv = {FAKE_WORKER};
        argv.insert(argv.end(), worker_args_.begin(), worker_args_.end());
        WorkerHandlers handlers;
        handlers.on_ready = [this](const wire::Ready&) {
            gateway.set_worker({"fake"}, worker_.get());
            ready_.set_value();
        };
        handlers.on_gone = [this](const Error&, bool) {
            gateway.set_worker({"fake"}, nullptr);
            gone_.set_value();
        };
        worker_ = *WorkerClient::start(io, {argv, {}}, std::move(handlers));
    }

    std::vector<std::string> worker_args_;
    std::unique_ptr<WorkerClient> worker_;
    std::promise<void> ready_, gone_;
    std::thread thread_;
};

TEST(Gateway, TellsTheLoopOfACallFromItsArrivalToItsEnd) {
    Desk desk;
    desk.gateway.add_key(
        "k", {.run = RunId{7}, .agent = {"inbox"}, .task = "write", .wait = seconds(90)});
    desk.gateway.set_first_call_id(CallId{100});
    auto client = desk.client();
    client.post(kChat, R"({"stream":true,"messages":[{"role":"user","content":"a b"}]})",
                "Authorization: Bearer k\r\n");
    EXPECT_THAT(client.read_until("[DONE]\n\n"), HasSubstr(R"("content":" b")"));
    const auto arrived = desk.loop.await<CallArrived>();
    EXPECT_EQ(arrived.call, CallId{100});
    EXPECT_EQ(arrived.run, RunId{7});
    EXPECT_EQ(arrived.agent, AgentName{"inbox"});
    EXPECT_EQ(arrived.wanted, "task:write");
    EXPECT_EQ(arrived.wait, seconds(90));
    EXPECT_EQ(desk.loop.await<CallStreaming>().call, CallId{100});
    const auto finished = desk.loop.await<CallFinished>();
    EXPECT_EQ(finished.prompt, Tokens{2});
    EXPECT_EQ(finished.completion, Tokens{2});
}

TEST(Gateway, AWholeAnswerIsNotStreamingUntilItIsThere) {
    Desk desk;
    auto client = desk.client();
    client.post(kChat, chat("a b"));
    EXPECT_THAT(client.read_response(), HasSubstr("Content-Length"));
    desk.loop.await<CallArrived>();
    EXPECT_EQ(desk.loop.await<CallFinished>().call, CallId{1});
}

TEST(Gateway, TakesTheAgentAndTheWaitFromPathAndHeader) {
    Desk desk;
    auto client = desk.client();
    client.post("/a/mail-triage/v1/chat/completions", chat("a"), "X-Hotdesk-Wait: 30s\r\n");
    EXPECT_EQ(status_of(client.read_response()), 200);
    const auto arrived = desk.loop.await<CallArrived>();
    EXPECT_EQ(arrived.agent, AgentName{"mail-triage"});
    EXPECT_EQ(arrived.wait, seconds(30));
}

TEST(Gateway, ShowsAWaitingStreamItsPlace) {
    Desk desk(keep_waiting,
              {.calls = {.heartbeat = Millis{10}, .stream_headers_after = Millis{10}}});
    auto first = desk.client(), second = desk.client();
    first.post(kChat, stream("a"));
    desk.loop.await<CallArrived>();
    second.post(kChat, stream("b"));
    EXPECT_THAT(second.read_until("of=2"),
                AllOf(HasSubstr("200 OK"), HasSubstr(": hotdesk waiting position=2 of=2")));
    desk.gateway.start_call(CallId{2}, {"fake"});
    EXPECT_THAT(second.read_until("[DONE]"), HasSubstr(R"("content":"b")"));
}

TEST(Gateway, AWaitingPlainCallIsKeptAliveWithSpaces) {
    Desk desk(keep_waiting,
              {.calls = {.heartbeat = Millis{10}, .plain_headers_after = Millis{10}}});
    auto client = desk.client();
    client.post(kChat, chat("a"));
    EXPECT_THAT(client.read_until("1\r\n \r\n1\r\n \r\n"), HasSubstr("Transfer-Encoding: chunked"));
    desk.gateway.start_call(CallId{1}, {"fake"});
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr(R"("content":"a")"));
}

TEST(Gateway, ARefusalAfterTheHeadersIsAnEventOrAnObject) {
    Desk desk(keep_waiting, {.calls = {.heartbeat = Millis{10},
                                       .stream_headers_after = Millis{10},
                                       .plain_headers_after = Millis{10}}});
    const Why why{Reason::kWaitOver, 1000, 1001, "gemma has the desk"};
    auto streaming = desk.client(), plain = desk.client();
    streaming.post(kChat, stream("a"));
    streaming.read_until("hotdesk waiting");
    desk.gateway.refuse_call(CallId{1}, Code::kTimeout, why);
    EXPECT_THAT(streaming.read_until("0\r\n\r\n"),
                HasSubstr(R"(data: {"error":{"code":"wait_timeout","have":1001,)"));
    plain.post(kChat, chat("a"));
    plain.read_until("1\r\n \r\n");
    desk.gateway.refuse_call(CallId{2}, Code::kTimeout, why);
    EXPECT_THAT(plain.read_until("0\r\n\r\n"), HasSubstr(R"({"error":{"code":"wait_timeout",)"));
}

TEST(Gateway, ACallWhoseWorkerDiedBeforeItsFirstByteIsStartedAgain) {
    // The first worker never answers; the second is asked the same and does.
    Desk desk(start_at_once, {}, {"--token-us", "1000"});
    auto client = desk.client();
    client.post(kChat, chat("say 300 words"));
    desk.loop.await<CallArrived>();
    auto killer = desk.client();
    killer.post(kChat, chat("crash"));
    desk.await_worker_gone();
    desk.restart_worker();
    desk.gateway.start_call(CallId{1}, {"fake"});
    EXPECT_THAT(client.read_response(),
                HasSubstr(R"("content":"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)"));
    EXPECT_EQ(desk.loop.await<CallFinished>().completion, Tokens{300});
}

TEST(Gateway, AStreamWhoseWorkerDiedEndsInAnError) {
    Desk desk;
    auto client = desk.client();
    client.post(kChat, stream("crash after 2"));
    desk.await_worker_gone();
    desk.gateway.refuse_call(CallId{1}, Code::kUnavailable,
                             {Reason::kWorkerDied, 2, 1, "signal 11"});
    EXPECT_THAT(
        client.read_until("0\r\n\r\n"),
        AllOf(HasSubstr(R"("content":"0")"), HasSubstr(R"(data: {"error":{"code":"worker_died")"),
              Not(HasSubstr("[DONE]"))));
}

TEST(Gateway, AClientThatHangsUpIsCancelledWhileItWaitsAndWhileItRuns) {
    Desk waiting(keep_waiting);
    auto first = waiting.client();
    first.post(kChat, chat("a"));
    EXPECT_EQ(waiting.loop.await<CallArrived>().call, CallId{1});
    first.hang_up();
    EXPECT_EQ(waiting.loop.await<CallGone>().call, CallId{1});

    Desk running(start_at_once, {}, {"--token-us", "1000"});
    auto second = running.client();
    second.post(kChat, stream("say 1000000 words"));
    second.read_until("content");
    second.hang_up();
    EXPECT_EQ(running.loop.await<CallGone>().call, CallId{1});
    auto third = running.client();
    third.post(kChat, chat("still here"));
    EXPECT_THAT(third.read_response(), HasSubstr("still here"));
}

TEST(Gateway, AFullLoopRefusesNewCallsAndStillHearsOfOldOnes) {
    Desk desk(keep_waiting, {.calls = {.heartbeat = Millis{10}}});
    auto first = desk.client(), second = desk.client();
    first.post(kChat, chat("a"));
    desk.loop.await<CallArrived>();
    desk.loop.set_full(true);
    second.post(kChat, chat("b"));
    EXPECT_THAT(
        second.read_response(),
        AllOf(HasSubstr("429 Too Many"), HasSubstr("retry-after: 5"), HasSubstr("queue_full")));
    first.hang_up();
    desk.loop.set_full(false);
    EXPECT_EQ(desk.loop.await<CallGone>().call, CallId{1});
}

TEST(Gateway, AnswersItsOwnRoutesAndRefusesTheRestInTheClientsShape) {
    Desk desk;
    desk.gateway.route("POST", "/hotdesk/v1/agents/{}/run",
                       [](const http::Request& request, const http::Responder& responder) {
                           std::thread([name = request.params[0], responder] {
                               responder.respond({.body = "run " + name});
                           }).detach();
                       });
    auto client = desk.client();
    client.post("/hotdesk/v1/agents/inbox/run", "");
    EXPECT_THAT(client.read_response(), EndsWith("run inbox"));
    client.get("/hotdesk/v1/agents/inbox/run");
    EXPECT_THAT(client.read_response(), AllOf(HasSubstr("405 "), HasSubstr("allow: POST"),
                                              HasSubstr("method_not_allowed")));
    client.get("/nowhere");
    EXPECT_THAT(client.read_response(), AllOf(HasSubstr("404 "), HasSubstr("unknown_path")));
    client.get("/healthz");
    EXPECT_THAT(client.read_response(), EndsWith("ok\n"));
    client.get("/readyz");
    EXPECT_THAT(client.read_response(), EndsWith("ready\n"));
}

TEST(Gateway, SendsEventsToWhoeverListens) {
    Desk desk;
    auto first = desk.client(), second = desk.client();
    for (auto* listener : {&first, &second}) {
        listener->get("/hotdesk/v1/events");
        listener->read_until(": hotdesk events\n\n");
    }
    first.hang_up();
    desk.gateway.publish_event({{"event", "loaded"}});
    EXPECT_THAT(second.read_until("}\n\n"), HasSubstr("data: {\"event\":\"loaded\"}\n\n"));
}

TEST(Gateway, ListensBeyondThisMachineOnlyWithAToken) {
    boost::asio::io_context io;
    MiniLoop loop({}, start_at_once);
    Gateway open(io, loop, {});
    EXPECT_EQ(open.listen({"0.0.0.0:0"}).error().code, Code::kDenied);

    Desk guarded(start_at_once, {.token = "secret"});
    std::promise<void> listening;
    io_post(guarded.io, [&] {
        EXPECT_TRUE(guarded.gateway.listen({"0.0.0.0:0"}));
        listening.set_value();
    });
    listening.get_future().wait();
    TestClient client(guarded.gateway.addresses()[1]);
    client.post(kChat, chat("a"));
    EXPECT_EQ(status_of(client.read_response()), 401);
    client.get("/metrics");
    EXPECT_EQ(status_of(client.read_response()), 401);
    client.get("/healthz");
    EXPECT_EQ(status_of(client.read_response()), 200);
    client.post(kChat, chat("a"), "Authorization: Bearer secret\r\n");
    EXPECT_EQ(status_of(client.read_response()), 200);
}

}  // namespace
}  // namespace hotdesk
