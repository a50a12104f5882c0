// SPDX-License-Identifier: MIT
#pragma once
// Which sequence of the engine holds whose tokens. One agent's context keeps its sequence between
// calls, so that a growing conversation computes only what is new; when sequences or cells run
// short, the idle context used longest ago goes first. A pure ledger: the engine is told by the
// caller. It is exact because no cell is shared here: one cell for each token of each context.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "worker/request.h"

namespace hotdesk::worker {

using Sequence = int;  // of the engine, from 0

struct Context {
    std::string key;  // the agent's, "" for a call that keeps nothing
    Sequence sequence = 0;
    std::vector<Token> tokens;  // what the engine holds, in order
    uint64_t used_at = 0;       // counts up; the smallest was used longest ago
    bool is_busy = false;       // a running call owns it
};

class ContextTable {
  public:
    // Requires: sequences >= 1.
    explicit ContextTable(int sequences);

    Context* find(std::string_view key);  // by its key, never for ""; null: unknown

    // A new empty context, busy. Requires: a free sequence, or an idle context to evict first.
    Context& open(std::string key);

    bool has_free_sequence() const { return !free_.empty(); }

    // The idle context used longest ago, or null.
    Context* oldest_idle();

    void touch(Context& context) { context.used_at = ++clock_; }
    void close(Context& context);  // forgets it; its sequence is free again

    Tokens cells_used() const;
    Tokens cells_busy() const;  // of these, by running calls
    int count() const { return static_cast<int>(contexts_.size()); }

  private:
    std::map<Sequence, Context> contexts_;
    std::vector<Sequence> free_;
    uint64_t clock_ = 0;
};

// How many tokens both begin with.
size_t common_prefix(std::span<const Token> a, std::span<const Token> b);

// How a step's batch is shared out. `pending` holds, for each running call in order of arrival, the
// tokens that the engine has not seen. A call with one token is decoding and always gets it; the
// rest computes prompts, `chunk` tokens together, so that a long prompt never holds up those who
// are decoding for longer than one chunk takes. When nobody decodes, the whole batch is a chunk.
struct BatchBounds {
    size_t batch = 512, chunk = 256;
};
std::vector<size_t> share_batch(std::span<const size_t> pending, BatchBounds bounds);

}  // namespace hotdesk::worker
