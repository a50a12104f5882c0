// SPDX-License-Identifier: MIT
#include "worker/text_gate.h"

#include <algorithm>
#include <utility>

namespace hotdesk::worker {
namespace {

// Bytes at the end that begin a UTF-8 character and do not finish it, 0 to 3.
size_t unfinished_tail(std::string_view text) {
    for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;  // inside a character: look further back
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

// Length of the longest end of `text` that is a beginning of `stop`.
size_t overlap(std::string_view text, std::string_view stop) {
    for (size_t n = std::min(text.size(), stop.size()); n > 0; --n) {
        if (text.ends_with(stop.substr(0, n))) return n;
    }
    return 0;
}

}  // namespace

TextGate::TextGate(std::vector<std::string> stops) : stops_(std::move(stops)) {
    std::erase(stops_, "");
}

std::string TextGate::push(std::string_view bytes) {
    if (is_stopped_) return {};
    held_ += bytes;
    size_t end = std::string::npos;  // where the first stop string begins
    size_t keep = unfinished_tail(held_);
    for (const std::string& stop : stops_) {
        end = std::min(end, held_.find(stop));
        keep = std::max(keep, overlap(held_, stop));
    }
    is_stopped_ = end != std::string::npos;
    std::string out = held_.substr(0, is_stopped_ ? end : held_.size() - keep);
    held_.erase(0, out.size());
    return out;
}

std::string TextGate::flush() {
    return is_stopped_ ? std::string{} : std::exchange(held_, {});
}

}  // namespace hotdesk::worker
