// SPDX-License-Identifier: MIT
// fake_worker speaks a worker's frames without a model: what hotdesk-worker would do, at once or as
// slowly as told, and on demand every way in which a worker can go wrong.
//
//   fake_worker --fd N --parent PID [--load-ms N] [--token-us N] [--slots N]
//               [--mode ok|oom|crash_on_load|never_ready|ignore_quit|garbage]
//
// The last message's text (or the prompt) is a command: "say N words" answers N tokens, "crash"
// dies of SIGSEGV, "crash after N" does so after N tokens, "refuse" breaks the call as too long for
// its context, "hang" never answers. Anything else is echoed. With tools it calls the first one;
// with a JSON schema it answers {"answer": "<text>"}.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wire/frames.h"

namespace hotdesk {
namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

struct Options {
    int fd = 3;
    int load_ms = 0;
    int token_us = 0;
    int slots = 4;
    std::string mode = "ok";
};

// One call under way.
struct Speech {
    wire::CallKind kind = wire::CallKind::kChat;
    std::deque<json> deltas;
    int64_t numbers = 0;  // then this many numbers, each made when it is its turn
    int64_t prompt = 0, spoken = 0;
    int64_t crash_after = -1;  // tokens; -1: never
    bool hangs = false;
    std::string finish_reason = "stop";
    json embedding;
    SteadyClock::time_point next;
};

int number_in(std::string_view text, int otherwise) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return otherwise;
    int out = otherwise;
    std::from_chars(text.data() + digit, text.data() + text.size(), out);
    return out;
}

std::string asked_text(const json& body) {
    if (body.contains("prompt")) return body["prompt"].get<std::string>();
    if (!body.contains("messages") || body["messages"].empty()) return {};
    const json content = body["messages"].back().value("content", json());
    return content.is_string() ? content.get<std::string>() : "";
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const size_t space = text.find(' ', 1);
        out.emplace_back(text.substr(0, space));
        text.remove_prefix(std::min(out.back().size(), text.size()));
    }
    return out;
}

class FakeWorker {
  public:
    explicit FakeWorker(Options options) : options_(std::move(options)) {}

    int run() {
        if (!load()) return 1;
        while (is_running_) {
            step();
            pump();
        }
        return 0;
    }

  private:
    void send(const wire::FromWorker& frame) { out_ += wire::encode(frame); }

    // Writes until the socket takes all of it: the daemon always reads.
    void flush() {
        while (!out_.empty()) {
            const ssize_t count = ::send(options_.fd, out_.data(), out_.size(), MSG_NOSIGNAL);
            if (count < 0) ::_exit(1);  // the daemon is gone
            out_.erase(0, static_cast<size_t>(count));
        }
    }

    bool load() {
        fmt::print(stderr, "fake_worker: mode {}\n", options_.mode);
        constexpr int kSteps = 4;
        for (int i = 0; i < kSteps; ++i) {
            send(wire::Loading{i * 1000 / kSteps});
            flush();
            ::usleep(static_cast<useconds_t>(options_.load_ms) * 1000 / kSteps);
        }
        if (options_.mode == "crash_on_load") ::raise(SIGSEGV);
        if (options_.mode == "never_ready")
            while (true) ::pause();
        if (options_.mode == "garbage")
            out_ = "this is not a frame\n";
        else if (options_.mode == "oom")
            send(wire::LoadFailed{
                {Code::kNoSpace, "weights need 4.0 GiB, the device has 1.0 GiB free"}});
        else
            send(wire::Ready{mib(100), mib(10), Tokens{4096}, options_.slots, 4, 4, "fake"});
        flush();
        return options_.mode != "oom";
    }

    // Reads what is there, or waits until the next token is due.
    void pump() {
        pollfd wait{options_.fd, POLLIN, 0};
        const int timeout = timeout_ms();
        if (::poll(&wait, 1, timeout) <= 0 || !(wait.revents & (POLLIN | POLLHUP))) return;
        char bytes[65536];
        const ssize_t count = ::recv(options_.fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count == 0) is_running_ = false;
        if (count <= 0) return;
        in_.append(bytes, static_cast<size_t>(count));
        size_t begin = 0;
        for (size_t end = 0; (end = in_.find('\n', begin)) != std::string::npos; begin = end + 1)
            on_line(std::string_view(in_).substr(begin, end - begin));
        in_.erase(0, begin);
    }

    int timeout_ms() const {
        auto soonest = SteadyClock::time_point::max();
        for (const auto& [id, speech] : speeches_)
            if (!speech.hangs) soonest = std::min(soonest, speech.next);
        if (soonest == SteadyClock::time_point::max()) return -1;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(soonest - SteadyClock::now());
        return static_cast<int>(std::max<int64_t>(0, left.count()));
    }

    void on_line(std::string_view line) {
        const auto frame = wire::decode_to_worker(line);
        if (!frame) {
            fmt::print(stderr, "fake_worker: {}\n", frame.error().message);
            ::_exit(2);
        }
        std::visit([this](const auto& f) { on_frame(f); }, *frame);
    }

    void on_frame(const wire::Generate& frame) {
        const std::string text = asked_text(frame.body);
        if (text == "crash") ::raise(SIGSEGV);
        if (text == "refuse") {
            send(wire::Broken{
                frame.id,
                {Code::kInvalid, "the prompt has 5000 tokens, the context 4096: shorten it"},
                "context_length_exceeded",
                {{"prompt_tokens", 5000}, {"context", 4096}}});
            return flush();
        }
        Speech speech = compose(frame, text);
        speech.next = SteadyClock::now() + std::chrono::microseconds(options_.token_us);
        speeches_.emplace(frame.id, std::move(speech));
    }
    void on_frame(const wire::Cancel& frame) {
        if (speeches_.erase(frame.id) == 0) return;
        wire::Finished finished;
        finished.id = frame.id;
        finished.finish_reason = "cancelled";
        send(finished);
        flush();
    }
    void on_frame(const wire::Park& frame) {
        send(wire::Parked{frame.context, Bytes{0}, Tokens{0}});
        flush();
    }
    void on_frame(const wire::Restore& frame) {
        send(wire::Restored{frame.context, Tokens{0}});
        flush();
    }
    void on_frame(const wire::Drop&) {}
    void on_frame(const wire::AskStats&) {
        wire::Stats stats;
        stats.running = static_cast<int>(speeches_.size());
        stats.cells = Tokens{4096};
        send(stats);
        flush();
    }
    void on_frame(const wire::Quit&) { is_running_ = options_.mode == "ignore_quit"; }

    static Speech compose(const wire::Generate& frame, const std::string& text) {
        Speech speech;
        speech.kind = frame.kind;
        speech.prompt = static_cast<int64_t>(words_of(text).size());
        speech.hangs = text == "hang";
        if (text.starts_with("crash after")) speech.crash_after = number_in(text, 1);
        if (frame.kind == wire::CallKind::kEmbedding) {
            speech.embedding = json::array();
            for (size_t i = 0; i < frame.body["input"].size(); ++i)
                speech.embedding.push_back({0.5, -0.25, 1.0});
        } else if (frame.body.contains("tools")) {
            call_tool(speech, frame.body["tools"][0]["function"]["name"]);
        } else {
            const bool says = text.starts_with("say");
            if (says || speech.crash_after >= 0) {
                speech.numbers = says ? number_in(text, 1) : INT32_MAX;
                return speech;
            }
            for (const std::string& word : answer_words(frame.body, text))
                speech.deltas.push_back(word_delta(frame.kind, word));
        }
        return speech;
    }

    static json word_delta(wire::CallKind kind, const std::string& word) {
        return {{kind == wire::CallKind::kChat ? "content" : "text", word}};
    }

    static void call_tool(Speech& speech, const json& name) {
        speech.finish_reason = "tool_calls";
        const auto piece = [](json call) {
            return json{{"tool_calls", json::array({std::move(call)})}};
        };
        speech.deltas.push_back(piece({{"index", 0},
                                       {"id", "call_1"},
                                       {"type", "function"},
                                       {"function", {{"name", name}, {"arguments", ""}}}}));
        for (const char* part : {"{\"city\":", "\"Oslo\"}"})
            speech.deltas.push_back(piece({{"index", 0}, {"function", {{"arguments", part}}}}));
    }

    static std::vector<std::string> answer_words(const json& body, const std::string& text) {
        if (body.value("response_format", json::object()).value("type", "") == "json_schema")
            return {"{\"answer\":", json(text).dump(), "}"};
        return words_of(text);
    }

    // One token of every call whose time has come.
    void step() {
        const auto now = SteadyClock::now();
        for (auto it = speeches_.begin(); it != speeches_.end();) {
            Speech& speech = it->second;
            const bool is_over = !speech.hangs && speech.next <= now && !speak(it->first, speech);
            it = is_over ? speeches_.erase(it) : std::next(it);
        }
        flush();
    }

    bool speak(uint64_t id, Speech& speech) {
        if (speech.spoken == speech.crash_after) {
            flush();
            ::raise(SIGSEGV);
        }
        if (speech.deltas.empty() && speech.spoken < speech.numbers) {
            const char* space = speech.spoken == 0 ? "" : " ";
            speech.deltas.push_back(
                word_delta(speech.kind, fmt::format("{}{}", space, speech.spoken)));
        }
        if (!speech.deltas.empty()) {
            send(wire::Delta{id, std::move(speech.deltas.front()), nullptr});
            speech.deltas.pop_front();
            ++speech.spoken;
            speech.next += std::chrono::microseconds(options_.token_us);
            if (!speech.deltas.empty() || speech.spoken < speech.numbers) return true;
        }
        wire::Finished finished;
        finished.id = id;
        finished.finish_reason = speech.finish_reason;
        finished.prompt = Tokens{speech.prompt};
        finished.completion = Tokens{speech.spoken};
        finished.embedding = speech.embedding;
        send(finished);
        return false;
    }

    Options options_;
    std::map<uint64_t, Speech> speeches_;
    std::string in_, out_;
    bool is_running_ = true;
};

Options parse_options(int argc, char** argv) {
    Options out;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i], value = argv[i + 1];
        if (name == "--fd")
            out.fd = number_in(value, 3);
        else if (name == "--load-ms")
            out.load_ms = number_in(value, 0);
        else if (name == "--token-us")
            out.token_us = number_in(value, 0);
        else if (name == "--slots")
            out.slots = number_in(value, 4);
        else if (name == "--mode")
            out.mode = value;
        else if (name == "--parent")
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    return out;
}

}  // namespace
}  // namespace hotdesk

int main(int argc, char** argv) {
    return hotdesk::FakeWorker(hotdesk::parse_options(argc, argv)).run();
}
