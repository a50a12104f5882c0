// SPDX-License-Identifier: MIT
// Engine::load: backends, device, weights, KV pool, and the reasons why not.

#include <dlfcn.h>
#include <fmt/format.h>
#include <llama-ext.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "core/spec.h"
#include "worker/engine_impl.h"
#include "worker/engine_log.h"
#include "worker/model_file.h"

namespace hotdesk::worker {
namespace {

constexpr std::string_view kEngineVersion = "0.4.0";
constexpr int kSequencesMax = 256;  // LLAMA_MAX_SEQ of that version

Status check_options(const EngineOptions& o) {
    if (o.sequences < 1 || o.sequences > kSequencesMax) {
        return fail(Code::kInvalid, fmt::format("{} sequences; the engine has room for 1 to {}",
                                                o.sequences, kSequencesMax));
    }
    if (o.batch < 1 || o.ubatch < 1 || o.threads < 1 || o.cells < Tokens{1}) {
        return fail(Code::kInvalid, "batch, ubatch, threads and cells must be at least 1");
    }
    if (o.batch < o.sequences) {
        return fail(Code::kInvalid,
                    fmt::format("a batch of {} cannot hold one token for each of {} "
                                "sequences",
                                o.batch, o.sequences));
    }
    return {};
}

// llama_version() is "0.4.0", with "-dev" or what a packager adds; another version means
// other structs behind the same names.
Status check_version() {
    const std::string_view version = llama_version();
    if (version.starts_with(kEngineVersion)) return {};
    return fail(Code::kUnavailable, fmt::format("the engine is llama.cpp {}; this worker was built "
                                                "for {}: run ./dev setup",
                                                version, kEngineVersion));
}

std::string directory_of_engine() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&ggml_backend_load), &info) == 0) return {};
    std::error_code error;
    return std::filesystem::canonical(info.dli_fname, error).parent_path().string();
}

Status load_backends(const EngineOptions& options) {
    // Both variables would bring in code or output that nobody asked this process for: the first
    // loads any library, and without the second every abort starts a debugger.
    ::unsetenv("GGML_BACKEND_PATH");
    ::setenv("GGML_NO_BACKTRACE", "1", 1);
    capture_engine_log();
    // With a directory of its own: the plain variant also searches the current directory.
    const std::string dir =
        options.library_dir.empty() ? directory_of_engine() : options.library_dir;
    ggml_backend_load_all_from_path(dir.c_str());
    if (!ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU)) {
        return fail(Code::kNotFound, fmt::format("no CPU backend of the engine in {}", dir));
    }
    for (const std::string& path : options.backends) {
        if (ggml_backend_load(path.c_str())) continue;
        return fail(Code::kNotFound, fmt::format("cannot load the backend {}: {}", path,
                                                 take_engine_complaint().line));
    }
    return {};
}

bool is_gpu(ggml_backend_dev_t device) {
    const auto type = ggml_backend_dev_type(device);
    return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
}

// The device to use, or null for the CPU alone.
Result<ggml_backend_dev_t> choose_device(const EngineOptions& options) {
    if (options.device == "none" || options.gpu_layers == 0) return nullptr;
    std::string known;
    for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
        ggml_backend_dev_t device = ggml_backend_dev_get(i);
        if (!is_gpu(device)) continue;
        const std::string_view name = ggml_backend_dev_name(device);
        if (options.device.empty() || name == options.device) return device;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    }
    if (options.device.empty()) return nullptr;
    return fail(Code::kNotFound, fmt::format("no device {}; there is {}", options.device,
                                             known.empty() ? "none" : known));
}

// Reports each twentieth of the load once.
struct LoadProgress {
    const Engine::Progress& report;
    int last = -1;
    bool is_given_up = false;

    static bool on_progress(float progress, void* self_pointer) {
        auto& self = *static_cast<LoadProgress*>(self_pointer);
        const int permille = static_cast<int>(progress * 1000) / 50 * 50;
        if (permille == self.last || !self.report) return true;
        self.last = permille;
        self.is_given_up = !self.report(permille);
        return !self.is_given_up;
    }
};

// The error of a load step that returned NULL.
tl::unexpected<Error> engine_failure(const EngineOptions& options, std::string_view what,
                                     Code otherwise) {
    const EngineComplaint complaint = take_engine_complaint();
    const Code code = complaint.is_out_of_memory ? Code::kNoSpace : otherwise;
    return fail(
        code, fmt::format("model {}: {}: {}", options.model, what,
                          complaint.line.empty() ? "the engine gives no reason" : complaint.line));
}

Result<ModelPtr> load_weights(const EngineOptions& options, ggml_backend_dev_t device,
                              const Engine::Progress& report) {
    LoadProgress progress{report};
    // An empty list keeps the engine off every GPU; with no list it takes memory on each.
    ggml_backend_dev_t devices[] = {device, nullptr};
    llama_model_params params = llama_model_default_params();
    params.devices = devices;
    params.n_gpu_layers = device ? options.gpu_layers : 0;
    params.progress_callback = LoadProgress::on_progress;
    params.progress_callback_user_data = &progress;
    ModelPtr model(llama_model_load_from_file(options.model.c_str(), params));
    if (model) return model;
    if (progress.is_given_up) return fail(Code::kUnavailable, "the load was given up");
    return engine_failure(options, "cannot be loaded", Code::kInvalid);
}

bool gives_embeddings(const llama_model* model) {
    char arch[64] = "", pooling[16] = "0";
    llama_model_meta_val_str(model, "general.architecture", arch, sizeof arch);
    llama_model_meta_val_str(model, fmt::format("{}.pooling_type", arch).c_str(), pooling,
                             sizeof pooling);
    return std::string_view(pooling) != "0" && *pooling != '\0';
}

Status check_kind(const EngineOptions& options, const llama_model* model) {
    const auto unusable = [&](std::string_view why) {
        return fail(Code::kInvalid, fmt::format("model {} {}", options.model, why));
    };
    if (llama_vocab_type(llama_model_get_vocab(model)) == LLAMA_VOCAB_TYPE_NONE) {
        return unusable("has no tokenizer");
    }
    if (llama_model_is_diffusion(model)) return unusable("is a diffusion model, not supported");
    if (llama_model_has_encoder(model) && llama_model_has_decoder(model)) {
        return unusable("is an encoder-decoder model, not supported");
    }
    return {};
}

llama_context_params context_params(const EngineOptions& options, bool is_embedding) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = static_cast<uint32_t>(options.cells.value);
    params.n_batch = static_cast<uint32_t>(options.batch);
    params.n_ubatch = static_cast<uint32_t>(std::min(options.ubatch, options.batch));
    params.n_seq_max = static_cast<uint32_t>(options.sequences);
    // Only the last token of a sequence needs logits. The default, a row for each token of the
    // batch, takes 300 MiB of compute buffer for a vocabulary of 152,000, and this takes 42.
    params.n_outputs_max = params.n_seq_max;
    params.n_threads = params.n_threads_batch = options.threads;
    params.type_k = params.type_v = options.kv == KvType::kQ8 ? GGML_TYPE_Q8_0 : GGML_TYPE_F16;
    // One pool for all: a call may use every cell. Apart, each sequence would get an equal part,
    // rounded up to 256 cells; 50 sequences of 4096 cells then take 12,800.
    params.kv_unified = true;
    // Sliding-window layers keep all tokens, so that a context can be continued from any point. In
    // a pool for many sequences the small variant would be as large anyway.
    params.swa_full = true;
    params.no_perf = true;
    if (is_embedding) {  // its attention looks both ways: an input must be computed in one piece
        params.n_ctx = params.n_ubatch = params.n_outputs_max = params.n_batch;
        params.n_seq_max = 1;
        params.embeddings = true;
    }
    return params;
}

int sequences_for(const EngineOptions& options, const llama_model* model) {
    const bool is_recurrent = llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
    return is_recurrent ? std::min(options.sequences, kRecurrentContextsMax) : options.sequences;
}

void sum_memory(const llama_context* context, EngineFacts& into) {
    for (const auto& [type, part] : llama_get_memory_breakdown(context)) {
        ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
        const bool is_on_device = device && is_gpu(device) && !ggml_backend_buft_is_host(type);
        Bytes& sum = is_on_device ? into.device_bytes : into.host_bytes;
        sum += Bytes{static_cast<int64_t>(part.total())};
    }
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::load(const EngineOptions& asked, const Progress& progress) {
    EngineOptions options = asked;
    HD_TRY_VOID(check_options(options));
    HD_TRY_VOID(check_version());
    HD_TRY_VOID(check_model_file(options.model));
    HD_TRY(const std::string identity, model_identity(options.model));
    HD_TRY_VOID(load_backends(options));
    HD_TRY(ggml_backend_dev_t device, choose_device(options));

    auto impl = std::make_unique<Impl>();
    HD_TRY(impl->model, load_weights(options, device, progress));
    HD_TRY_VOID(check_kind(options, impl->model.get()));
    options.sequences = sequences_for(options, impl->model.get());
    const bool is_embedding = gives_embeddings(impl->model.get());
    const llama_context_params params = context_params(options, is_embedding);
    impl->context.reset(llama_init_from_model(impl->model.get(), params));
    if (!impl->context) return engine_failure(options, "no KV pool for it", Code::kInternal);

    impl->vocab = llama_model_get_vocab(impl->model.get());
    EngineFacts& facts = impl->facts;
    facts.version = llama_version();
    facts.identity = fmt::format("{}-{}", identity, options.kv == KvType::kQ8 ? "q8_0" : "f16");
    facts.cells = Tokens{llama_n_ctx(impl->context.get())};
    facts.sequences = static_cast<int>(llama_n_seq_max(impl->context.get()));
    facts.batch = static_cast<int>(llama_n_batch(impl->context.get()));
    facts.vocab = llama_vocab_n_tokens(impl->vocab);
    facts.layers = llama_model_n_layer(impl->model.get());
    const int wanted = options.gpu_layers < 0 ? facts.layers : options.gpu_layers;
    facts.layers_on_device = device ? std::min(wanted, facts.layers) : 0;
    facts.is_embedding = is_embedding;
    sum_memory(impl->context.get(), facts);
    return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

}  // namespace hotdesk::worker
