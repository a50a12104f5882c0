// SPDX-License-Identifier: MIT
#pragma once
// How much memory a model will take, from its header alone, before anything is loaded. Weights and
// KV are exact to the byte (test/emulated_gpu/plan_test.cc compares them with what llama.cpp
// allocates); the compute buffer is a formula with a guard on top. Pure.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "core/gguf.h"
#include "core/spec.h"

namespace hotdesk {

enum class KvStorage : uint8_t { kF16, kQ8_0 };

// "f16" or "q8_0", as in the config. Errors: kInvalid names the two.
Result<KvStorage> parse_kv_storage(std::string_view text);

// How the model is to be used.
struct MemoryNeeds {
    Placement placement = Placement::kDesk;  // all layers on the device, or none
    Tokens context;                          // cells of the KV pool
    int sequences = 1;  // contexts kept in the pool, each can give one output; of a recurrent
                        // model at most kRecurrentContextsMax
    KvStorage kv = KvStorage::kF16;
    int ubatch = 512;  // tokens computed at once
};

struct MemoryParts {
    Bytes weights;
    Bytes kv;       // and the state of recurrent layers
    Bytes compute;  // an upper estimate, guard included

    Bytes sum() const { return weights + kv + compute; }
    friend bool operator==(const MemoryParts&, const MemoryParts&) = default;
};

struct MemoryPlan {
    MemoryParts device;
    MemoryParts host;

    Footprint footprint() const { return {device.sum(), host.sum()}; }
    friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

// Requires: header.tensors holds the tensors of all parts of a split model.
// Not counted: the driver's own memory for a process, projectors, adapters.
// Errors: kInvalid for a file that is no language model, for a kind of state that is not known, and
// for needs out of range, with the numbers.
Result<MemoryPlan> plan_memory(const ModelHeader& header, const MemoryNeeds& needs);

}  // namespace hotdesk
