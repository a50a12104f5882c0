// SPDX-License-Identifier: MIT
#pragma once
// Many calls on one engine. Each step builds one batch: a token of every call that is decoding,
// and a chunk of the prompts that are not through yet, so that a long prompt never stalls the
// others.
//
// Calls are admitted in order of arrival, up to `slots` at a time. An agent's context stays when
// its call ends. When the pool is full, idle contexts go first, used longest ago; then the newest
// running call gives its cells back and is computed again when there is room. A call that fits
// alone never fails for want of room.
// Thread: the engine's. Owns: the calls and the ledger of contexts; borrows the engine.

#include <deque>
#include <memory>
#include <vector>

#include "wire/frames.h"
#include "worker/call.h"
#include "worker/contexts.h"
#include "worker/engine.h"
#include "worker/engine_chat.h"

namespace hotdesk::worker {

struct SessionOptions {
    int slots = 8;       // calls computed together; at most EngineOptions::sequences
    size_t chunk = 256;  // prompt tokens in a step while others decode
};

class Session {
  public:
    // Requires: engine, templates and what `emit` names outlive the session.
    Session(Engine& engine, const ChatTemplates& templates, SessionOptions options, Emit emit);

    // Takes one frame; Quit is the caller's business. Answers come through `emit`, some of them at
    // once. Nothing is computed here.
    void handle(const wire::ToWorker& frame);

    bool has_work() const { return !arrived_.empty() || !waiting_.empty() || !running_.empty(); }

    // Does one step of the work, at most one batch.
    void step();

    wire::Ready ready() const;

  private:
    using CallPtr = std::unique_ptr<Call>;

    void on(const wire::Generate& frame);
    void on(const wire::Cancel& frame);
    void on(const wire::Park& frame);
    void on(const wire::Restore& frame);
    void on(const wire::Drop& frame);
    void on(const wire::AskStats& frame);
    void on(const wire::Quit& frame);

    Status park(const wire::Park& frame);
    Status restore(const wire::Restore& frame);
    // Whether there is room for an idle context once no other is left. Errors: kNoSpace.
    Status can_have(const std::string& context, Tokens wanted);
    bool has_room_for(Tokens wanted) const;  // as it is

    void prepare_one();
    void embed(const wire::Generate& frame);
    void admit();
    bool has_room_for(const Call& call) const;
    void start(CallPtr call);
    Context& context_for(const Call& call);

    std::vector<size_t> share() const;
    std::vector<size_t> make_room();
    bool free_some_room();
    void drop_context(Context& context);
    void release(Call& call);

    void compute(const std::vector<size_t>& shares);
    void take_outputs(const std::vector<int>& rows);
    void end(Call& call, std::string reason);
    void fail_all(const Error& error, const std::string& reason);
    void emit_broken(uint64_t id, Refusal refusal);

    Engine& engine_;
    const ChatTemplates& templates_;
    SessionOptions options_;
    Emit emit_;
    ContextTable contexts_;
    std::deque<wire::Generate> arrived_;  // not yet looked at
    std::deque<CallPtr> waiting_;         // ready to run, in order
    std::vector<CallPtr> running_;        // in order of arrival
    wire::Stats totals_;                  // its three counters; the rest is filled when asked
};

}  // namespace hotdesk::worker
