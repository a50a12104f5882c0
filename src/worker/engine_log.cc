// SPDX-License-Identifier: MIT
#include "worker/engine_log.h"

#include <llama.h>
#include <log.h>

#include <cstdio>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

namespace hotdesk::worker {
namespace {

constexpr size_t kLinesKept = 64;

struct Captured {
    std::mutex mutex;  // backends may log from threads of their own
    std::deque<std::string> errors;
    bool is_error = false;  // of the line that a continuation belongs to
};

Captured& captured() {
    static Captured log;
    return log;
}

void on_line(ggml_log_level level, const char* text, void*) {
    Captured& log = captured();
    const std::lock_guard lock(log.mutex);
    const bool goes_on = level == GGML_LOG_LEVEL_CONT;
    if (!goes_on) log.is_error = level == GGML_LOG_LEVEL_ERROR;
    if (!log.is_error) return;
    std::fputs(text, stderr);
    if (goes_on && !log.errors.empty())
        log.errors.back() += text;
    else
        log.errors.emplace_back(text);
    if (log.errors.size() > kLinesKept) log.errors.pop_front();
}

bool is_about_memory(std::string_view line) {
    return line.find("failed to allocate") != line.npos ||
           line.find("unable to allocate") != line.npos || line.find("out of memory") != line.npos;
}

std::string trimmed(std::string line) {
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
    return line;
}

}  // namespace

void capture_engine_log() {
    llama_log_set(on_line, nullptr);
    common_log_set_verbosity_thold(-1);  // llama-common would print answers it could not parse
}

EngineComplaint take_engine_complaint() {
    Captured& log = captured();
    const std::lock_guard lock(log.mutex);
    EngineComplaint out;
    for (const std::string& line : std::exchange(log.errors, {})) {
        // The first failed allocation says how much was wanted; those after it only that it failed.
        if (out.is_out_of_memory) continue;
        out.is_out_of_memory = is_about_memory(line);
        out.line = trimmed(line);
    }
    return out;
}

}  // namespace hotdesk::worker
