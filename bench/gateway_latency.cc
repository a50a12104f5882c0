// SPDX-License-Identifier: MIT
// gateway_latency: how much a request takes longer through the gateway than at the worker itself.
//
//   gateway_latency HARNESS WORKER [ARGS...]        e.g. gateway_latency gateway_harness
//   fake_worker
//
// One client, one call at a time, kRounds of each, taken in turns so that the machine's mood is the
// same for both. Directly: a Generate frame over a socketpair and its Finished. Through: a POST on
// a kept-alive TCP connection, the JSON checks, a hop to the loop's thread and back, the same
// worker program, and the JSON answer. The harness's loop decides nothing, so the policy's time is
// not in it. Prints one JSON object; the difference of the two medians and of the two 99th
// percentiles counts.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "backend/spawn.h"
#include "wire/frames.h"

namespace hotdesk {
namespace {

constexpr int kRounds = 3000;
constexpr int kWarmUp = 200;
constexpr const char* kText = "one short answer please";

[[noreturn]] void die(const std::string& what) {
    fmt::print(stderr, "gateway_latency: {}\n", what);
    std::exit(1);
}

// Reads until `mark` was seen.
void read_until(int fd, std::string_view mark) {
    std::string seen;
    char bytes[65536];
    while (seen.find(mark) == std::string::npos) {
        const ssize_t count = ::read(fd, bytes, sizeof bytes);
        if (count <= 0) die(fmt::format("the other side ended before \"{}\"", mark));
        seen.append(bytes, static_cast<size_t>(count));
    }
}

void write_all(int fd, std::string_view bytes) {
    if (::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        die("short write");
}

nlohmann::json chat_body() {
    return {{"model", "fake"},
            {"max_tokens", 8},
            {"messages", nlohmann::json::array({{{"role", "user"}, {"content", kText}}})}};
}

// The worker as its own daemon would ask it.
class Direct {
  public:
    explicit Direct(const std::vector<std::string>& worker) {
        auto spawned = spawn_worker({worker, {}});
        if (!spawned) die(spawned.error().message);
        spawned_ = *std::move(spawned);
        read_until(spawned_.socket.get(), "\"ready\"");
    }
    ~Direct() {
        ::kill(spawned_.pid, SIGKILL);
        ::waitpid(spawned_.pid, nullptr, 0);
    }
    void call() {
        const wire::Generate frame{++id_, wire::CallKind::kChat, "", chat_body()};
        write_all(spawned_.socket.get(), wire::encode(wire::ToWorker(frame)));
        read_until(spawned_.socket.get(), "\"finished\"");
    }

  private:
    Spawned spawned_;
    uint64_t id_ = 0;
};

// The same worker program behind a gateway.
class Through {
  public:
    Through(const std::string& harness, const std::vector<std::string>& worker) {
        int in[2], out[2];
        if (::pipe(in) != 0 || ::pipe(out) != 0) die("pipe");
        std::vector<std::string> words = {harness, "--"};
        words.insert(words.end(), worker.begin(), worker.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::close(in[1]);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        connect(out[0]);
    }
    ~Through() {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
    }
    void call() {
        const std::string body = chat_body().dump();
        write_all(fd_, fmt::format("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                                   "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                                   body.size(), body));
        read_until(fd_, "\"total_tokens\"");
    }

  private:
    void connect(int harness_stdout) {
        char line[256] = {};
        if (::read(harness_stdout, line, sizeof line - 1) <= 0) die("the harness did not start");
        const char* port = std::strrchr(line, ':');
        if (!port) die("the harness named no address");
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<uint16_t>(std::atoi(port + 1)));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
        if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) die("connect");
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    pid_t pid_ = 0;
    int fd_ = -1;
};

template <class Caller>
int64_t micros_of(Caller& caller) {
    const auto begin = std::chrono::steady_clock::now();
    caller.call();
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 begin)
        .count();
}

int64_t percentile(std::vector<int64_t> samples, int percent) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() * static_cast<size_t>(percent) / 100];
}

int run(const std::string& harness, const std::vector<std::string>& worker) {
    Direct direct(worker);
    Through through(harness, worker);
    std::vector<int64_t> direct_us, through_us;
    for (int i = 0; i < kWarmUp + kRounds; ++i) {
        const int64_t a = micros_of(direct), b = micros_of(through);
        if (i < kWarmUp) continue;
        direct_us.push_back(a);
        through_us.push_back(b);
    }
    const int64_t d50 = percentile(direct_us, 50), d99 = percentile(direct_us, 99);
    const int64_t t50 = percentile(through_us, 50), t99 = percentile(through_us, 99);
    fmt::print(
        R"({{"rounds":{},"direct_us":{{"p50":{},"p99":{}}},"through_us":{{"p50":{},"p99":{}}},)"
        R"("added_us":{{"p50":{},"p99":{}}}}})"
        "\n",
        kRounds, d50, d99, t50, t99, t50 - d50, t99 - d99);
    return 0;
}

}  // namespace
}  // namespace hotdesk

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: gateway_latency HARNESS WORKER [ARGS...]\n");
        return 64;
    }
    return hotdesk::run(argv[1], {argv + 2, argv + argc});
}
