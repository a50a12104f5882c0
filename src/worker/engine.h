// SPDX-License-Identifier: MIT
#pragma once
// One loaded model: tokens in, logits out. This header is the whole of llama.cpp that the rest of
// the worker sees; only the engine_*.cc files include its headers. Many of its functions
// abort the process when a precondition is broken, so each is checked here before the call.
// Thread: everything on the thread that loaded it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "worker/contexts.h"
#include "worker/request.h"

namespace hotdesk::worker {

enum class KvType { kF16, kQ8 };

struct EngineOptions {
    std::string model;                  // GGUF; of a split model, the first part
    std::string library_dir;            // where the CPU backends lie; "" = beside the engine itself
    std::vector<std::string> backends;  // more backend libraries, for example a GPU's
    std::string device;                 // by name; "" = the first GPU there is; "none" = CPU only
    int gpu_layers = -1;                // -1 = all
    Tokens cells{4096};                 // of the KV pool, rounded up to 256 by the engine
    int sequences = 64;  // contexts kept at most; 1 to 256; each costs a row of logits
    int batch = 512;     // tokens in one step, at most
    int ubatch = 512;    // of these computed together; sets the compute buffer
    KvType kv = KvType::kF16;
    int threads = 1;  // more than free cores collapses: the engine's barriers spin
};

// What the engine says of the loaded model.
struct EngineFacts {
    std::string version;   // llama_version()
    std::string identity;  // of model file and KV type: whose parked contexts it can read
    Tokens cells;
    int sequences = 0;
    int batch = 0;
    int vocab = 0;
    int layers = 0, layers_on_device = 0;
    Bytes device_bytes, host_bytes;  // weights + KV + compute
    bool is_embedding = false;       // gives vectors and no text
};

// One token of a batch. Positions of a sequence follow each other without a gap.
struct BatchToken {
    Token token = 0;
    int position = 0;
    Sequence sequence = 0;
    bool wants_logits = false;
};

enum class Decoded {
    kDone,
    kNoCells,  // no room in the KV pool; nothing has changed
    kFailed,   // the engine or its device is broken; the KV pool is not to be trusted
};

struct TokenLogprob {
    Token token = 0;
    float logprob = 0;
};

class Engine {
  public:
    // Permille of the load, growing; returning false gives the load up.
    using Progress = std::function<bool(int)>;

    // Loads the model and makes its KV pool.
    // Errors: kNotFound (file, split part, device, backend), kInvalid (not a model that can be
    // used here), kNoSpace (no room on the device or in memory), kUnavailable (given up, or an
    // engine of another version), kInternal. The message holds the engine's own decisive line.
    static Result<std::unique_ptr<Engine>> load(const EngineOptions& options,
                                                const Progress& progress);
    ~Engine();

    const EngineFacts& facts() const;

    // The model's tokens for a text, with its BOS where it has one; special tokens are recognised.
    std::vector<Token> tokenize(std::string_view text, bool add_special = true) const;
    bool has_token(Token token) const;  // is it in the vocabulary
    // Bytes of one token; special tokens are "" unless asked for.
    std::string piece(Token token, bool with_special) const;
    bool ends_generation(Token token) const;

    // Requires: at most facts().batch tokens, at most facts().sequences of them with logits.
    Decoded decode(std::span<const BatchToken> batch);

    // Of the token at `index` of the last batch, which wanted them: facts().vocab numbers.
    std::span<const float> logits(int index) const;
    // The likeliest `count` tokens there, best first; and the log-probability of one.
    std::vector<TokenLogprob> top_logprobs(int index, int count) const;
    float logprob(int index, Token token) const;

    // Shortens a sequence. False: this architecture cannot (its state is not cut at a token);
    // the caller drops the whole.
    bool truncate(Sequence sequence, int length);
    void drop(Sequence sequence);
    void drop_all();

    // The KV state of a sequence as bytes, and back. restore() is for an empty sequence.
    // Errors: kInternal, kInvalid (not this model's), kNoSpace (no cells for it).
    Result<std::vector<std::byte>> save(Sequence sequence);
    Status restore(Sequence sequence, std::span<const std::byte> state);

    // Requires: facts().is_embedding, 1 to facts().batch tokens. Normalised to length 1.
    Result<std::vector<float>> embed(std::span<const Token> tokens);

    struct Impl;  // engine_impl.h, for the engine_*.cc files
    Impl& impl() const { return *impl_; }

  private:
    explicit Engine(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hotdesk::worker
