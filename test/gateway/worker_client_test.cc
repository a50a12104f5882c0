// SPDX-License-Identifier: MIT
#include "backend/worker_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <vector>

namespace hotdesk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A fake worker and all it said, on an io_context that the test itself runs.
struct Fixture {
    boost::asio::io_context io{1};
    std::unique_ptr<WorkerClient> client;
    std::vector<int> loading;
    int ready = 0;
    std::vector<std::pair<Error, bool>> gone;
    std::function<void()> when_ready = [] {};

    explicit Fixture(std::vector<std::string> args) {
        std::vector<std::string> argv = {FAKE_WORKER};
        argv.insert(argv.end(), args.begin(), args.end());
        WorkerHandlers handlers;
        handlers.on_loading = [this](int permille) { loading.push_back(permille); };
        handlers.on_ready = [this](const wire::Ready&) {
            ++ready;
            when_ready();
        };
        handlers.on_gone = [this](Error error, bool crashed) {
            gone.emplace_back(std::move(error), crashed);
        };
        auto started = WorkerClient::start(io, {argv, {}}, std::move(handlers));
        EXPECT_TRUE(started) << started.error().message;
        client = *std::move(started);
    }
    void generate(uint64_t id, const char* text, CallHandlers handlers) {
        const wire::Generate frame{id, wire::CallKind::kCompletion, "", {{"prompt", text}}};
        client->generate(id, wire::encode(wire::ToWorker(frame)), std::move(handlers));
    }
};

TEST(WorkerClient, ReportsTheLoadTheReadinessAndAWantedEnd) {
    Fixture f({});
    f.when_ready = [&] { f.client->quit(); };
    f.io.run();
    EXPECT_THAT(f.loading, ElementsAre(0, 250, 500, 750));
    EXPECT_EQ(f.ready, 1);
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_EQ(f.gone[0], std::pair(Error{}, false));
}

TEST(WorkerClient, TellsEachCallItsOwn) {
    Fixture f({});
    std::string first, second;
    int finished = 0;
    const auto collect = [&](std::string& into) {
        return CallHandlers{
            [&](const wire::Delta& d) { into += d.delta["text"].get<std::string>(); },
            [&](const wire::Finished&) {
                if (++finished == 2) f.client->quit();
            },
            {}};
    };
    f.when_ready = [&] {
        f.generate(1, "a b c", collect(first));
        f.generate(2, "d e f", collect(second));
    };
    f.io.run();
    EXPECT_EQ(first, "a b c");
    EXPECT_EQ(second, "d e f");
}

TEST(WorkerClient, TellsABrokenCallItsReasonAndNumbers) {
    Fixture f({});
    wire::Broken got;
    f.when_ready = [&] {
        f.generate(1, "refuse", {{}, {}, [&](const wire::Broken& broken) {
                                     got = broken;
                                     f.client->quit();
                                 }});
    };
    f.io.run();
    EXPECT_EQ(got.reason, "context_length_exceeded");
    EXPECT_EQ(got.numbers, (nlohmann::json{{"prompt_tokens", 5000}, {"context", 4096}}));
}

TEST(WorkerClient, ACancelledCallFinishesAsCancelled) {
    Fixture f({});
    std::string reason;
    f.when_ready = [&] {
        f.generate(1, "hang",
                   {{},
                    [&](const wire::Finished& done) {
                        reason = done.finish_reason;
                        f.client->quit();
                    },
                    {}});
        f.client->cancel(1);
    };
    f.io.run();
    EXPECT_EQ(reason, "cancelled");
}

TEST(WorkerClient, ACrashNamesTheSignalAndTheLastWordsAndFinishesNoCall) {
    Fixture f({});
    int ends = 0;
    f.when_ready = [&] {
        f.generate(
            1, "crash after 2",
            {{}, [&](const wire::Finished&) { ++ends; }, [&](const wire::Broken&) { ++ends; }});
    };
    f.io.run();
    EXPECT_EQ(ends, 0);
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_TRUE(f.gone[0].second);
    EXPECT_EQ(f.gone[0].first.code, Code::kUnavailable);
    EXPECT_THAT(f.gone[0].first.message, HasSubstr("signal 11"));
    EXPECT_THAT(f.gone[0].first.message, HasSubstr("fake_worker: mode ok"));
}

TEST(WorkerClient, AFailedLoadSaysWhyAndIsNoCrash) {
    Fixture f({"--mode", "oom"});
    f.io.run();
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_EQ(f.gone[0],
              std::pair(Error{Code::kNoSpace, "weights need 4.0 GiB, the device has 1.0 GiB free"},
                        false));
}

TEST(WorkerClient, ACrashWhileLoadingIsACrash) {
    Fixture f({"--mode", "crash_on_load"});
    f.io.run();
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_TRUE(f.gone[0].second);
}

TEST(WorkerClient, AWorkerThatTalksNonsenseIsEnded) {
    Fixture f({"--mode", "garbage"});
    f.io.run();
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_THAT(f.gone[0].first.message, HasSubstr("not a frame"));
}

TEST(WorkerClient, KillEndsAWorkerThatIgnoresQuit) {
    Fixture f({"--mode", "ignore_quit"});
    f.when_ready = [&] {
        f.client->quit();
        f.client->kill();
    };
    f.io.run();
    ASSERT_EQ(f.gone.size(), 1u);
    EXPECT_EQ(f.gone[0], std::pair(Error{}, false));
}

TEST(WorkerClient, DestroyingItFromItsOwnHandlerEndsTheProcess) {
    Fixture f({});
    int pid = 0;
    f.when_ready = [&] {
        pid = f.client->pid();
        f.client.reset();
    };
    f.io.run();
    EXPECT_TRUE(f.gone.empty());
    EXPECT_EQ(::kill(pid, 0), -1);  // reaped: there is no such process
}

TEST(WorkerClient, NamesAProgramThatIsNotThere) {
    boost::asio::io_context io;
    const auto started = WorkerClient::start(io, {{"/no/such/worker"}, {}}, {});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, Code::kNotFound);
    EXPECT_THAT(started.error().message, HasSubstr("/no/such/worker"));
}

}  // namespace
}  // namespace hotdesk
