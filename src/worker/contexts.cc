// SPDX-License-Identifier: MIT
#include "worker/contexts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace hotdesk::worker {

ContextTable::ContextTable(int sequences) {
    HD_CHECK(sequences >= 1);
    for (Sequence s = sequences - 1; s >= 0; --s) free_.push_back(s);
}

Context* ContextTable::find(std::string_view key) {
    if (key.empty()) return nullptr;
    for (auto& [sequence, context] : contexts_) {
        if (context.key == key) return &context;
    }
    return nullptr;
}

Context& ContextTable::open(std::string key) {
    HD_CHECK(!free_.empty());
    const Sequence sequence = free_.back();
    free_.pop_back();
    Context& context = contexts_[sequence];
    context = {.key = std::move(key),
               .sequence = sequence,
               .tokens = {},
               .used_at = ++clock_,
               .is_busy = true};
    return context;
}

Context* ContextTable::oldest_idle() {
    Context* oldest = nullptr;
    for (auto& [sequence, context] : contexts_) {
        if (context.is_busy) continue;
        if (!oldest || context.used_at < oldest->used_at) oldest = &context;
    }
    return oldest;
}

void ContextTable::close(Context& context) {
    const Sequence sequence = context.sequence;
    free_.push_back(sequence);
    contexts_.erase(sequence);
}

Tokens ContextTable::cells_used() const {
    Tokens used;
    for (const auto& [sequence, context] : contexts_) {
        used += Tokens{static_cast<int64_t>(context.tokens.size())};
    }
    return used;
}

Tokens ContextTable::cells_busy() const {
    Tokens busy;
    for (const auto& [sequence, context] : contexts_) {
        if (context.is_busy) busy += Tokens{static_cast<int64_t>(context.tokens.size())};
    }
    return busy;
}

size_t common_prefix(std::span<const Token> a, std::span<const Token> b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return static_cast<size_t>(end - a.begin());
}

std::vector<size_t> share_batch(std::span<const size_t> pending, BatchBounds bounds) {
    std::vector<size_t> shares(pending.size(), 0);
    size_t left = bounds.batch;
    for (size_t i = 0; i < pending.size(); ++i) {
        if (pending[i] != 1 || left == 0) continue;
        shares[i] = 1;
        --left;
    }
    if (left < bounds.batch) left = std::min(left, bounds.chunk);
    for (size_t i = 0; i < pending.size(); ++i) {
        if (pending[i] <= 1) continue;
        shares[i] = std::min(pending[i], left);
        left -= shares[i];
    }
    return shares;
}

}  // namespace hotdesk::worker
