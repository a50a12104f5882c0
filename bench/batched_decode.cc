// SPDX-License-Identifier: MIT
// How much of llama.cpp's own batched decode reaches the clients of a worker. Both sides decode
// the same number of tokens for the same eight sequences on the same model: one with bare
// llama_decode and the likeliest token, in this process; one as eight calls to a real worker over
// its socket, with every token read and parsed. The runs alternate, since the machine's speed
// drifts.
//
//   bench_batched_decode WORKER MODEL [ROUNDS [TOKENS]]

#include <fmt/format.h>
#include <llama.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "wire/frames.h"

namespace {

using namespace hotdesk;
using Clock = std::chrono::steady_clock;

constexpr int kCalls = 8;
constexpr int kPromptTokens = 16;
constexpr int kCells = 4096;
constexpr int kSequences = 64;  // as the worker has it: it decides the size of the output buffer

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_batched_decode: {}\n", why);
    std::exit(1);
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int prompt_token(int call, int i) {
    return 10 + (call * 7919 + i * 104729) % 900;
}

// ---- bare llama.cpp ----------------------------------------------------------------------------

struct Bare {
    llama_model* model = nullptr;
    llama_context* context = nullptr;
};

Bare load_bare(const char* path) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all_from_path(HOTDESK_ENGINE_LIBS);
    Bare bare;
    ggml_backend_dev_t none[] = {nullptr};
    llama_model_params model_params = llama_model_default_params();
    model_params.devices = none;
    bare.model = llama_model_load_from_file(path, model_params);
    if (!bare.model) die(fmt::format("cannot load {}", path));
    llama_context_params params = llama_context_default_params();
    params.n_ctx = kCells;
    params.n_batch = params.n_ubatch = 512;
    params.n_seq_max = params.n_outputs_max = kSequences;
    params.kv_unified = true;
    params.n_threads = params.n_threads_batch = 1;
    bare.context = llama_init_from_model(bare.model, params);
    if (!bare.context) die("no context");
    return bare;
}

void add(llama_batch& batch, llama_token token, int position, int sequence, bool wants_logits) {
    const int at = batch.n_tokens++;
    batch.token[at] = token;
    batch.pos[at] = position;
    batch.n_seq_id[at] = 1;
    batch.seq_id[at][0] = sequence;
    batch.logits[at] = wants_logits;
}

// Tokens per second of decoding `tokens` for each of the eight sequences, prompts not counted.
double run_bare(const Bare& bare, int tokens) {
    llama_memory_clear(llama_get_memory(bare.context), true);
    const int vocab = llama_vocab_n_tokens(llama_model_get_vocab(bare.model));
    llama_batch batch = llama_batch_init(512, 0, 1);
    std::vector<int> rows(kCalls);
    for (int call = 0; call < kCalls; ++call) {
        for (int i = 0; i < kPromptTokens; ++i) {
            rows[static_cast<size_t>(call)] = batch.n_tokens;
            add(batch, prompt_token(call, i), i, call, i + 1 == kPromptTokens);
        }
    }
    if (llama_decode(bare.context, batch) != 0) die("prompt");
    llama_get_logits(bare.context);  // waits for it
    const Clock::time_point start = Clock::now();
    for (int n = 0; n < tokens; ++n) {
        std::vector<llama_token> next;
        for (const int row : rows) {
            const float* logits = llama_get_logits_ith(bare.context, row);
            next.push_back(
                static_cast<llama_token>(std::max_element(logits, logits + vocab) - logits));
        }
        batch.n_tokens = 0;
        for (int call = 0; call < kCalls; ++call) {
            rows[static_cast<size_t>(call)] = batch.n_tokens;
            add(batch, next[static_cast<size_t>(call)], kPromptTokens + n, call, true);
        }
        if (llama_decode(bare.context, batch) != 0) die("decode");
    }
    llama_get_logits(bare.context);
    llama_batch_free(batch);
    return kCalls * tokens / seconds_since(start);
}

// ---- the worker --------------------------------------------------------------------------------

struct Worker {
    pid_t pid = 0;
    int fd = -1;
    std::string buffer = {};
};

Worker start_worker(const char* binary, const char* model) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) die("socketpair");
    Worker worker{.pid = ::fork(), .fd = pair[0]};
    if (worker.pid == 0) {
        ::close(pair[0]);
        ::execl(binary, binary, "--model", model, "--fd", std::to_string(pair[1]).c_str(), "--ctx",
                std::to_string(kCells).c_str(), "--device", "none", nullptr);
        std::_Exit(127);
    }
    ::close(pair[1]);
    return worker;
}

wire::FromWorker next_frame(Worker& worker) {
    for (;;) {
        if (const size_t end = worker.buffer.find('\n'); end != std::string::npos) {
            auto frame = wire::decode_from_worker(worker.buffer.substr(0, end));
            worker.buffer.erase(0, end + 1);
            if (!frame) die(frame.error().message);
            return *std::move(frame);
        }
        char bytes[1 << 16];
        const ssize_t n = ::read(worker.fd, bytes, sizeof bytes);
        if (n <= 0) die("the worker is gone");
        worker.buffer.append(bytes, static_cast<size_t>(n));
    }
}

void send_calls(const Worker& worker, int tokens, uint64_t first_id) {
    std::string lines;
    for (int call = 0; call < kCalls; ++call) {
        wire::Generate frame{.id = first_id + static_cast<uint64_t>(call),
                             .kind = wire::CallKind::kCompletion,
                             .context = "",
                             .body = {}};
        for (int i = 0; i < kPromptTokens; ++i)
            frame.body["prompt"].push_back(prompt_token(call, i));
        frame.body["max_tokens"] = tokens;
        frame.body["temperature"] = 0;
        frame.body["ignore_eos"] = true;
        lines += wire::encode(wire::ToWorker{frame});
    }
    if (::write(worker.fd, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) {
        die("write");
    }
}

// The same from outside: from the first token of the last call to start, until all have ended.
double run_worker(Worker& worker, int tokens, uint64_t first_id) {
    send_calls(worker, tokens, first_id);
    int started = 0, ended = 0, counted = 0;
    std::vector<bool> has_begun(kCalls, false);
    Clock::time_point start;
    while (ended < kCalls) {
        const wire::FromWorker frame = next_frame(worker);
        if (const auto* delta = std::get_if<wire::Delta>(&frame)) {
            counted += started == kCalls;
            auto begun = has_begun[delta->id - first_id];
            if (begun) continue;
            begun = true;
            if (++started == kCalls) start = Clock::now();
        } else if (std::holds_alternative<wire::Finished>(frame)) {
            ++ended;
        } else if (const auto* broken = std::get_if<wire::Broken>(&frame)) {
            die(broken->error.message);
        }
    }
    return counted / seconds_since(start);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) die("usage: bench_batched_decode WORKER MODEL [ROUNDS [TOKENS]]");
    const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
    const int tokens = argc > 4 ? std::atoi(argv[4]) : 200;
    const Bare bare = load_bare(argv[2]);
    Worker worker = start_worker(argv[1], argv[2]);
    while (!std::holds_alternative<wire::Ready>(next_frame(worker))) {
    }
    std::vector<double> bare_rates, worker_rates, ratios;
    for (int round = -1; round < rounds; ++round) {  // the first warms both up
        const double before = run_bare(bare, tokens);
        const double ours =
            run_worker(worker, tokens, 1 + static_cast<uint64_t>(round + 1) * kCalls);
        const double after = run_bare(bare, tokens);
        if (round < 0) continue;
        bare_rates.push_back((before + after) / 2);
        worker_rates.push_back(ours);
        ratios.push_back(ours / bare_rates.back());
    }
    fmt::print(
        "{{\"bare_tokens_per_s\":{:.0f},\"worker_tokens_per_s\":{:.0f},\"ratio\":{:.3f},"
        "\"ratio_min\":{:.3f},\"ratio_max\":{:.3f},\"rounds\":{}}}\n",
        median(bare_rates), median(worker_rates), median(ratios),
        *std::min_element(ratios.begin(), ratios.end()),
        *std::max_element(ratios.begin(), ratios.end()), rounds);
    ::kill(worker.pid, SIGKILL);
    ::waitpid(worker.pid, nullptr, 0);
    return 0;
}
