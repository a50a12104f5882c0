// SPDX-License-Identifier: MIT
// gateway_harness: the gateway, a loop that starts every call at once, and one worker; for clients
// of other languages and for the benches.
//
//   gateway_harness [--listen ADDRESS]... [--heartbeat-ms N] [--headers-after-ms N] -- WORKER
//   [ARGS...]
//
// Prints "listening ADDRESS" for each address when the worker is ready. Ends when its stdin does.

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "backend/worker_client.h"
#include "daemon/gateway.h"
#include "mini_loop.h"

namespace hotdesk {
namespace {

struct Options {
    std::vector<std::string> listen;
    std::vector<std::string> worker;
    GatewaySettings settings;
};

Options parse(int argc, char** argv) {
    Options out;
    int i = 1;
    for (; i + 1 < argc && std::string(argv[i]) != "--"; i += 2) {
        const std::string name = argv[i], value = argv[i + 1];
        if (name == "--listen") out.listen.push_back(value);
        if (name == "--heartbeat-ms") out.settings.calls.heartbeat = Millis{std::stoi(value)};
        if (name == "--headers-after-ms")
            out.settings.calls.stream_headers_after = out.settings.calls.plain_headers_after =
                Millis{std::stoi(value)};
    }
    for (++i; i < argc; ++i) out.worker.emplace_back(argv[i]);
    if (out.listen.empty()) out.listen = {"127.0.0.1:0"};
    return out;
}

int run(const Options& options) {
    boost::asio::io_context io(1);
    MiniLoop loop(one_model_state(), start_at_once);
    Gateway gateway(io, loop, options.settings);
    gateway.add_key("run-key",
                    {.run = RunId{7}, .agent = {"inbox"}, .task = "write", .wait = seconds(60)});
    if (const auto status = gateway.listen(options.listen); !status) {
        fmt::print(stderr, "{}\n", status.error().message);
        return 1;
    }
    std::unique_ptr<WorkerClient> worker;
    WorkerHandlers handlers;
    handlers.on_ready = [&](const wire::Ready&) {
        gateway.set_worker({"fake"}, worker.get());
        for (const std::string& address : gateway.addresses())
            fmt::print("listening {}\n", address);
        std::fflush(stdout);
    };
    handlers.on_gone = [&](Error error, bool) {
        gateway.set_worker({"fake"}, nullptr);
        fmt::print(stderr, "{}\n", error.message);
        io.stop();
    };
    auto started = WorkerClient::start(io, {options.worker, {}}, std::move(handlers));
    if (!started) {
        fmt::print(stderr, "{}\n", started.error().message);
        return 1;
    }
    worker = *std::move(started);
    loop.run(gateway);
    std::thread io_thread([&] { io.run(); });
    char bytes[256];
    while (::read(STDIN_FILENO, bytes, sizeof bytes) > 0) {
    }
    io_post(io, [&] { io.stop(); });
    io_thread.join();
    loop.stop();
    return 0;
}

}  // namespace
}  // namespace hotdesk

int main(int argc, char** argv) {
    return hotdesk::run(hotdesk::parse(argc, argv));
}
