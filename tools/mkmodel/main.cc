// SPDX-License-Identifier: MIT
// hotdesk-mkmodel: a GGUF model of random weights, for a machine with no network.
#include <CLI/CLI.hpp>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "write_model.h"

namespace {

using namespace hotdesk;
using namespace hotdesk::mkmodel;

constexpr int kExitUsage = 64, kExitFailed = 70;

struct Arguments {
    Order order;
    std::string architecture = "llama", quant = "Q8_0", vocab = "builtin", chat_template = "chatml";
    std::string size, pooling = "none";
    bool is_quiet = false;
};

void define_options(CLI::App& app, Arguments& a) {
    app.add_option("OUT", a.order.path, "the file to write")->required();
    app.add_option("--arch", a.architecture, "llama, qwen2, qwen3, gemma2 or mamba")
        ->capture_default_str();
    app.add_option("--size", a.size,
                   "choose the shape for this much weight, such as 60MiB; then "
                   "--layers, --embd, --heads, --heads-kv and --ff are ignored");
    app.add_option("--quant", a.quant, "F32 F16 Q8_0 Q4_0 Q2_K Q3_K_M Q4_K_M Q5_K_M Q6_K")
        ->capture_default_str();
    app.add_option("--seed", a.order.seed, "same seed and options, same file")
        ->capture_default_str();
    app.add_option("--vocab", a.vocab, "\"builtin\", or a GGUF whose tokenizer is copied")
        ->capture_default_str();
    app.add_option("--template", a.chat_template, "\"chatml\", \"none\", or a Jinja file")
        ->capture_default_str();
    app.add_option("--pooling", a.pooling,
                   "mean or last make a model of embeddings, none one of text")
        ->capture_default_str();
    app.add_option("--name", a.order.name, "general.name in the file")->capture_default_str();
    Shape& s = a.order.shape;
    app.add_option("--layers", s.layers)->capture_default_str();
    app.add_option("--embd", s.embd)->capture_default_str();
    app.add_option("--heads", s.heads)->capture_default_str();
    app.add_option("--heads-kv", s.heads_kv)->capture_default_str();
    app.add_option("--ff", s.ff)->capture_default_str();
    app.add_option("--context", s.context, "trained context")->capture_default_str();
    app.add_option("--window", s.window, "gemma2's sliding window")->capture_default_str();
    app.add_flag("--quiet", a.is_quiet, "print nothing on success");
}

Result<std::string> read_template(const std::string& choice) {
    if (choice == "none") return std::string();
    if (choice == "chatml") return std::string(chatml_template());
    std::ifstream file(choice);
    if (!file) return fail(Code::kNotFound, fmt::format("--template {}: no such file", choice));
    return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<Pooling> parse_pooling(const std::string& text) {
    if (text == "none") return Pooling::kNone;
    if (text == "mean") return Pooling::kMean;
    if (text == "last") return Pooling::kLast;
    return fail(Code::kInvalid, fmt::format("--pooling {}; known are none, mean and last", text));
}

Status resolve(Arguments& a, const Vocab& vocab) {
    Order& order = a.order;
    HD_TRY(order.pooling, parse_pooling(a.pooling));
    HD_TRY(order.shape.architecture, parse_architecture(a.architecture));
    HD_TRY(order.quant, parse_quant(a.quant));
    HD_TRY(order.chat_template, read_template(a.chat_template));
    if (!a.size.empty()) {
        HD_TRY(const Bytes bytes, parse_bytes(a.size));
        HD_TRY(order.shape, shape_for(order.shape, {bytes, order.quant, vocab.size()}));
    }
    return check_shape(order.shape, order.quant);
}

Result<Vocab> load_vocab(const std::string& choice) {
    if (choice == "builtin") return builtin_vocab();
    return donor_vocab(choice);
}

Status make(Arguments& a) {
    HD_TRY(const Vocab vocab, load_vocab(a.vocab));
    HD_TRY_VOID(resolve(a, vocab));
    HD_TRY(const Bytes size, write_model(a.order, vocab));
    const Shape& s = a.order.shape;
    if (!a.is_quiet)
        fmt::print("{}: {} {}, {} layers x {}, {} tokens, {}\n", a.order.path, a.architecture,
                   a.quant, s.layers, s.embd, vocab.size(), format_bytes(size));
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Makes a GGUF model of random weights from a seed: any size, several architectures.",
        "hotdesk-mkmodel");
    Arguments arguments;
    define_options(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : kExitUsage;
    }
    if (const Status made = make(arguments); !made) {
        fmt::print(stderr, "hotdesk-mkmodel: {}\n", made.error().message);
        return made.error().code == Code::kInvalid ? kExitUsage : kExitFailed;
    }
    return 0;
}
