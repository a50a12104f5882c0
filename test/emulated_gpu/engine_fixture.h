// SPDX-License-Identifier: MIT
#pragma once
// What the tests on the emulated GPU share: models made on the spot, loaded through llama.cpp as
// the worker loads them, on a device of a size that the test chooses.

#include <ggml-backend.h>
#include <gtest/gtest.h>
#include <llama-ext.h>
#include <llama.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "write_model.h"

namespace hotdesk::emulated {

struct LlamaFree {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
};
using ModelPtr = std::unique_ptr<llama_model, LlamaFree>;
using ContextPtr = std::unique_ptr<llama_context, LlamaFree>;

// One load as the worker does it: one KV pool, one output for each sequence, full windows.
struct Load {
    std::string path;
    int gpu_layers = 99;
    uint32_t cells = 512;
    uint32_t sequences = 2;
    ggml_type kv = GGML_TYPE_F16;
};

// Loads the CPU backend and the emulated GPU; the environment must describe the device by now.
inline bool load_backends() {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    ggml_backend_load_all_from_path(HOTDESK_ENGINE_LIBS);
    return ggml_backend_load(HOTDESK_EMULATED_BACKEND) != nullptr;
}

inline ModelPtr load_model(const Load& load) {
    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers = load.gpu_layers;
    // Only then are weights on the CPU stored as they are on the device, and sums bit-identical.
    params.use_extra_bufts = false;
    return ModelPtr(llama_model_load_from_file(load.path.c_str(), params));
}

inline ContextPtr make_context(llama_model* model, const Load& load) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = load.cells;
    params.n_seq_max = params.n_outputs_max = load.sequences;
    params.kv_unified = params.swa_full = true;
    params.type_k = params.type_v = load.kv;
    params.n_threads = params.n_threads_batch = 1;
    return ContextPtr(llama_init_from_model(model, params));
}

// The logits after each of `count` greedy tokens, all in one.
inline std::vector<float> greedy_logits(llama_context* context, int count) {
    const llama_vocab* vocab = llama_model_get_vocab(llama_get_model(context));
    const int words = llama_vocab_n_tokens(vocab);
    std::vector<llama_token> tokens(64);
    const std::string_view text = "<|im_start|>user\nSort the inbox of today.<|im_end|>\n";
    tokens.resize(static_cast<size_t>(llama_tokenize(
        vocab, text.data(), static_cast<int>(text.size()), tokens.data(), 64, true, true)));
    std::vector<float> all;
    for (int i = 0; i < count; ++i) {
        const llama_batch batch =
            llama_batch_get_one(tokens.data(), static_cast<int>(tokens.size()));
        if (llama_decode(context, batch) != 0) return {};
        const float* logits = llama_get_logits_ith(context, -1);
        all.insert(all.end(), logits, logits + words);
        tokens = {static_cast<llama_token>(std::max_element(logits, logits + words) - logits)};
    }
    return all;
}

// A directory of its own for each test, and models in it.
class EngineTest : public testing::Test {
  protected:
    EngineTest() { std::filesystem::create_directories(dir_); }
    ~EngineTest() override { std::filesystem::remove_all(dir_); }

    std::string path(const std::string& name) const { return dir_ + "/" + name; }

    // A model of a few MiB; its path.
    std::string make_model(mkmodel::Architecture architecture, mkmodel::Quant quant) const {
        mkmodel::Order order{.path = path("m.gguf"), .quant = quant};
        order.shape = {.architecture = architecture,
                       .layers = 4,
                       .embd = 256,
                       .heads = 4,
                       .heads_kv = 2,
                       .ff = 768};
        EXPECT_TRUE(mkmodel::write_model(order, mkmodel::builtin_vocab()));
        return order.path;
    }

  private:
    std::string dir_ = fmt::format("{}/emulated_{}", testing::TempDir(), ::getpid());
};

}  // namespace hotdesk::emulated
