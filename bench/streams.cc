// SPDX-License-Identifier: MIT
// streams: many clients with an open SSE stream each, on one thread of the gateway.
//
//   streams HARNESS FAKE_WORKER [STREAMS] [TOKENS]      default 1000 streams of 50 tokens, one each
//   100 ms
//
// All streams are open at once; each must end with [DONE] after all its tokens. Prints one JSON
// object with how many failed, the gateway's resident memory at its most, and its processor time.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Stream {
    int fd = -1;
    std::string tail;  // the last bytes, enough to find [DONE] across two reads
    int tokens = 0;
    bool is_done = false;
};

[[noreturn]] void die(const char* what) {
    fmt::print(stderr, "streams: {}\n", what);
    std::exit(1);
}

// "VmHWM:   1234 kB" of a process.
long peak_rss_kib(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
        long value = 0;
        if (word == "VmHWM:" && status >> value) return value;
    }
    return -1;
}

pid_t start_harness(char** words, int& port) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) die("pipe");
    char separator[] = "--", option[] = "--token-us", value[] = "100000";
    char* argv[] = {words[0], separator, words[1], option, value, nullptr};
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::close(in[1]);
        ::execv(argv[0], argv);
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    char line[256] = {};
    if (::read(out[0], line, sizeof line - 1) <= 0) die("the harness did not start");
    port = std::atoi(std::strrchr(line, ':') + 1);
    return pid;
}

int open_stream(int port, const std::string& request) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return -1;
    return ::write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size()) ? fd
                                                                                               : -1;
}

int count_of(std::string_view text, std::string_view what) {
    int count = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size())
        ++count;
    return count;
}

// Returns false when the stream is over.
bool read_stream(Stream& stream) {
    char bytes[16384];
    const ssize_t count = ::read(stream.fd, bytes, sizeof bytes);
    if (count <= 0) return false;
    const size_t kept = stream.tail.size();
    std::string seen = std::move(stream.tail);
    seen.append(bytes, static_cast<size_t>(count));
    constexpr std::string_view kToken = "\"content\":", kDone = "[DONE]";
    stream.tokens +=
        count_of(seen, kToken) - count_of(std::string_view(seen).substr(0, kept), kToken);
    stream.is_done = seen.find(kDone) != std::string::npos;
    stream.tail = seen.substr(seen.size() - std::min(seen.size(), kToken.size() - 1));
    return !stream.is_done;
}

void read_all(std::vector<Stream>& streams) {
    std::vector<pollfd> waits;
    for (const Stream& stream : streams) waits.push_back({stream.fd, POLLIN, 0});
    size_t open = waits.size();
    constexpr int kSilenceMax = 60'000;
    while (open > 0 && ::poll(waits.data(), waits.size(), kSilenceMax) > 0) {
        for (size_t i = 0; i < waits.size(); ++i) {
            if (waits[i].fd < 0 || !waits[i].revents || read_stream(streams[i])) continue;
            waits[i].fd = -1;
            --open;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: streams HARNESS FAKE_WORKER [STREAMS] [TOKENS]\n");
        return 64;
    }
    const int count = argc > 3 ? std::atoi(argv[3]) : 1000,
              tokens = argc > 4 ? std::atoi(argv[4]) : 50;
    const rlimit files{static_cast<rlim_t>(count) + 100, static_cast<rlim_t>(count) + 100};
    ::setrlimit(RLIMIT_NOFILE, &files);
    int port = 0;
    const pid_t pid = start_harness(argv + 1, port);
    const std::string body = fmt::format(
        R"({{"model":"fake","stream":true,"messages":[{{"role":"user","content":"say {} words"}}]}})",
        tokens);
    const std::string request = fmt::format(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
        body.size(), body);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Stream> streams(static_cast<size_t>(count));
    for (Stream& stream : streams) stream.fd = open_stream(port, request);
    read_all(streams);
    const auto wall = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    const long rss = peak_rss_kib(pid);
    ::kill(pid, SIGTERM);
    rusage used{};
    ::wait4(pid, nullptr, 0, &used);
    int failed = 0;
    for (const Stream& stream : streams) failed += !stream.is_done || stream.tokens != tokens;
    const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    fmt::print(
        R"({{"streams":{},"tokens_each":{},"failed":{},"gateway_peak_rss_mib":{:.1f},"gateway_cpu_s":{:.2f},"wall_ms":{}}})"
        "\n",
        count, tokens, failed, static_cast<double>(rss) / 1024, cpu, wall.count());
    return failed == 0 ? 0 : 1;
}
