// SPDX-License-Identifier: MIT
#include "worker/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace hotdesk::worker {

const std::string_view kUsage =
    R"(usage: hotdesk-worker --model FILE (--fd N | --once) [options]

Hosts one model. The daemon starts it and talks to it over an inherited socket; with --once it
reads one OpenAI request body from stdin, prints the answer object to stdout and exits.

  --model FILE        GGUF; of a split model, the first part
  --fd N              the socket
  --once              one request, stdin to stdout
  --parent PID        end when this process ends
  --engine-dir DIR    where the engine's CPU backends are (default: beside the engine)
  --backend PATH.so   one more backend, for example a GPU's; may be given several times
  --device NAME|none  the device to use (default: the first GPU, else none)
  --gpu-layers N|all  layers on the device (all)
  --ctx CELLS         tokens in the KV pool, for all contexts together (4096)
  --slots N           calls computed together (8)
  --contexts N        contexts kept, at most 256 (64)
  --batch N           tokens in one step (512)
  --ubatch N          of these computed together (512)
  --chunk N           prompt tokens in a step while others decode (256)
  --kv f16|q8_0       how keys and values are stored (f16)
  --threads N         CPU threads (1)

exit: 0 done, 64 usage, 65 not a usable model, 66 no such file, 73 no room, 70 anything else
)";

namespace {

std::optional<int> to_int(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// An option with a whole number, where it goes, and the least it may be.
struct IntOption {
    std::string_view name;
    int least;
    void (*set)(WorkerOptions&, int);
};

constexpr std::array kIntOptions = {
    IntOption{"--fd", 0, [](WorkerOptions& o, int n) { o.fd = n; }},
    IntOption{"--parent", 1, [](WorkerOptions& o, int n) { o.parent = n; }},
    IntOption{"--ctx", 1, [](WorkerOptions& o, int n) { o.engine.cells = Tokens{n}; }},
    IntOption{"--slots", 1, [](WorkerOptions& o, int n) { o.session.slots = n; }},
    IntOption{"--contexts", 1, [](WorkerOptions& o, int n) { o.engine.sequences = n; }},
    IntOption{"--batch", 1, [](WorkerOptions& o, int n) { o.engine.batch = n; }},
    IntOption{"--ubatch", 1, [](WorkerOptions& o, int n) { o.engine.ubatch = n; }},
    IntOption{"--chunk", 1,
              [](WorkerOptions& o, int n) { o.session.chunk = static_cast<size_t>(n); }},
    IntOption{"--threads", 1, [](WorkerOptions& o, int n) { o.engine.threads = n; }},
};

Status set_int(const IntOption& option, const std::string& value, WorkerOptions& options) {
    const std::optional<int> number = to_int(value);
    if (!number || *number < option.least) {
        return fail(Code::kInvalid,
                    fmt::format("{} takes a whole number of at least {}, not \"{}\"", option.name,
                                option.least, value));
    }
    option.set(options, *number);
    return {};
}

Status set_gpu_layers(const std::string& value, EngineOptions& engine) {
    const std::optional<int> number = value == "all" ? -1 : to_int(value);
    if (!number || (*number < 0 && value != "all")) {
        return fail(Code::kInvalid,
                    fmt::format("--gpu-layers takes a number or all, not \"{}\"", value));
    }
    engine.gpu_layers = *number;
    return {};
}

Status set_kv(const std::string& value, EngineOptions& engine) {
    if (value != "f16" && value != "q8_0") {
        return fail(Code::kInvalid, fmt::format("--kv takes f16 or q8_0, not \"{}\"", value));
    }
    engine.kv = value == "f16" ? KvType::kF16 : KvType::kQ8;
    return {};
}

Status set_option(const std::string& name, const std::string& value, WorkerOptions& options) {
    for (const IntOption& option : kIntOptions) {
        if (name == option.name) return set_int(option, value, options);
    }
    EngineOptions& engine = options.engine;
    if (name == "--gpu-layers") return set_gpu_layers(value, engine);
    if (name == "--kv") return set_kv(value, engine);
    if (name == "--model")
        engine.model = value;
    else if (name == "--engine-dir")
        engine.library_dir = value;
    else if (name == "--backend")
        engine.backends.push_back(value);
    else if (name == "--device")
        engine.device = value == "auto" ? "" : value;
    else
        return fail(Code::kInvalid, fmt::format("unknown option {}", name));
    return {};
}

}  // namespace

Result<WorkerOptions> parse_options(const std::vector<std::string>& arguments) {
    WorkerOptions options;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        if (name == "--help") {
            options.wants_help = true;
            return options;
        }
        if (name == "--once") {
            options.is_once = true;
            continue;
        }
        if (i + 1 == arguments.size()) {
            return fail(Code::kInvalid, fmt::format("{} needs a value, or is not known", name));
        }
        HD_TRY_VOID(set_option(name, arguments[++i], options));
    }
    if (options.engine.model.empty()) return fail(Code::kInvalid, "--model is missing");
    if (options.is_once == (options.fd >= 0)) {
        return fail(Code::kInvalid, "exactly one of --fd and --once is needed");
    }
    // Every slot needs a sequence, and every sequence may want its token in the same batch.
    options.engine.sequences = std::max(options.engine.sequences, options.session.slots);
    options.engine.batch = std::max(options.engine.batch, options.engine.sequences);
    return options;
}

}  // namespace hotdesk::worker
