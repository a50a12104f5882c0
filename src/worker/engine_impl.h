// SPDX-License-Identifier: MIT
#pragma once
// What the engine_*.cc files share: the handles of llama.cpp. Nobody else includes this.

#include <llama.h>

#include <memory>

#include "worker/engine.h"

namespace hotdesk::worker {

struct ModelDeleter {
    void operator()(llama_model* model) const { llama_model_free(model); }
};
struct ContextDeleter {
    void operator()(llama_context* context) const { llama_free(context); }
};
using ModelPtr = std::unique_ptr<llama_model, ModelDeleter>;
using LlamaContextPtr = std::unique_ptr<llama_context, ContextDeleter>;

struct Engine::Impl {
    EngineFacts facts;
    ModelPtr model;
    const llama_vocab* vocab = nullptr;
    LlamaContextPtr context;  // destroyed before the model

    // The arrays of the batch under construction, kept to spare the allocations of every step.
    std::vector<llama_token> tokens;
    std::vector<llama_pos> positions;
    std::vector<int32_t> sequence_counts;
    std::vector<llama_seq_id> sequences;
    std::vector<llama_seq_id*> sequence_lists;
    std::vector<int8_t> outputs;

    llama_memory_t memory() const { return llama_get_memory(context.get()); }
};

}  // namespace hotdesk::worker
