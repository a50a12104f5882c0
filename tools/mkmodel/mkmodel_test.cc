// SPDX-License-Identifier: MIT
#include <ggml-backend.h>
#include <gtest/gtest.h>
#include <llama.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "write_model.h"

namespace hotdesk::mkmodel {
namespace {

constexpr const char* kSpmDonor = HOTDESK_ENGINE_SOURCE "/models/ggml-vocab-llama-spm.gguf";

class MakeModel : public testing::Test {
  protected:
    MakeModel() { std::filesystem::create_directories(dir_); }
    ~MakeModel() override { std::filesystem::remove_all(dir_); }

    std::string path(const std::string& name) const { return dir_ + "/" + name; }
    std::string bytes_of(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Order order(const std::string& name, Architecture architecture) const {
        Order order{.path = path(name), .chat_template = chatml_template()};
        order.shape.architecture = architecture;
        order.shape.layers = 2;
        return order;
    }

  private:
    std::string dir_ = fmt::format("{}/mkmodel_{}", testing::TempDir(), ::getpid());
};

struct ModelFree {
    void operator()(llama_model* model) const { llama_model_free(model); }
};
using ModelPtr = std::unique_ptr<llama_model, ModelFree>;

ModelPtr load(const std::string& path) {
    ggml_backend_load_all_from_path(HOTDESK_ENGINE_LIBS);
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    return ModelPtr(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
}

std::vector<llama_token> tokenize(const llama_vocab* vocab, const std::string& text) {
    std::vector<llama_token> tokens(256);
    const int count = llama_tokenize(vocab, text.c_str(), static_cast<int32_t>(text.size()),
                                     tokens.data(), 256, true, true);
    tokens.resize(static_cast<size_t>(std::max(count, 0)));
    return tokens;
}

std::string detokenize(const llama_vocab* vocab, const std::vector<llama_token>& tokens) {
    char text[1024];
    const int length = llama_detokenize(vocab, tokens.data(), static_cast<int32_t>(tokens.size()),
                                        text, sizeof text, false, true);
    return {text, static_cast<size_t>(std::max(length, 0))};
}

TEST_F(MakeModel, GivesTheSameBytesForTheSameOrder) {
    ASSERT_TRUE(write_model(order("a.gguf", Architecture::kLlama), builtin_vocab()));
    ASSERT_TRUE(write_model(order("b.gguf", Architecture::kLlama), builtin_vocab()));
    EXPECT_TRUE(bytes_of("a.gguf") == bytes_of("b.gguf"));
}

TEST_F(MakeModel, GivesOtherBytesForAnotherSeed) {
    Order other = order("b.gguf", Architecture::kLlama);
    other.seed = 2;
    ASSERT_TRUE(write_model(order("a.gguf", Architecture::kLlama), builtin_vocab()));
    ASSERT_TRUE(write_model(other, builtin_vocab()));
    EXPECT_EQ(bytes_of("a.gguf").size(), bytes_of("b.gguf").size());
    EXPECT_FALSE(bytes_of("a.gguf") == bytes_of("b.gguf"));
}

TEST_F(MakeModel, LoadsInLlamaInEveryArchitecture) {
    for (const Architecture architecture :
         {Architecture::kLlama, Architecture::kQwen2, Architecture::kQwen3, Architecture::kGemma2,
          Architecture::kMamba}) {
        ASSERT_TRUE(write_model(order("m.gguf", architecture), builtin_vocab()));
        const ModelPtr model = load(path("m.gguf"));
        ASSERT_TRUE(model) << to_string(architecture);
        EXPECT_EQ(llama_model_n_layer(model.get()), 2);
        EXPECT_EQ(llama_model_n_embd(model.get()), 256);
        EXPECT_STREQ(llama_model_chat_template(model.get(), nullptr), chatml_template());
        EXPECT_EQ(llama_model_is_recurrent(model.get()), architecture == Architecture::kMamba);
    }
}

TEST_F(MakeModel, LoadsInLlamaInEveryQuantization) {
    for (const char* name : {"F32", "F16", "Q8_0", "Q4_0", "Q4_K_M", "Q6_K"}) {
        Order quantized = order("m.gguf", Architecture::kLlama);
        quantized.quant = parse_quant(name).value();
        const Result<Bytes> size = write_model(quantized, builtin_vocab());
        ASSERT_TRUE(size) << size.error().message;
        EXPECT_EQ(size->value, static_cast<int64_t>(bytes_of("m.gguf").size()));
        EXPECT_TRUE(load(path("m.gguf"))) << name;
    }
}

TEST_F(MakeModel, RefusesADirectoryThatIsNotThereAndLeavesNothing) {
    Order lost = order("none/m.gguf", Architecture::kLlama);
    const Result<Bytes> made = write_model(lost, builtin_vocab());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Code::kDenied);
    EXPECT_NE(made.error().message.find("none/m.gguf"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("m.gguf")).parent_path()));
}

TEST_F(MakeModel, BuiltinVocabularyGivesTextBackUnchanged) {
    ASSERT_TRUE(write_model(order("m.gguf", Architecture::kLlama), builtin_vocab()));
    const ModelPtr model = load(path("m.gguf"));
    const llama_vocab* vocab = llama_model_get_vocab(model.get());
    for (const std::string text : {"Sort the inbox: 3 invoices.\n{\"a\": [1, 2]}", " two  spaces ",
                                   "\xC3\xA4\xE2\x82\xAC", "<|im_start|>user\nhi<|im_end|>\n"})
        EXPECT_EQ(detokenize(vocab, tokenize(vocab, text)), text);
}

TEST_F(MakeModel, BuiltinVocabularyKnowsWordsAndTheEndOfATurn) {
    ASSERT_TRUE(write_model(order("m.gguf", Architecture::kLlama), builtin_vocab()));
    const ModelPtr model = load(path("m.gguf"));
    const llama_vocab* vocab = llama_model_get_vocab(model.get());
    EXPECT_EQ(tokenize(vocab, " waiting for the memory").size(), 4U);
    const std::vector<llama_token> end = tokenize(vocab, "<|im_end|>");
    ASSERT_EQ(end.size(), 1U);
    EXPECT_TRUE(llama_vocab_is_eog(vocab, end[0]));
}

TEST_F(MakeModel, CopiesTheTokenizerOfADonor) {
    const Result<Vocab> vocab = donor_vocab(kSpmDonor);
    ASSERT_TRUE(vocab) << vocab.error().message;
    EXPECT_EQ(vocab->size(), 32000);
    ASSERT_TRUE(write_model(order("m.gguf", Architecture::kLlama), *vocab));
    const ModelPtr model = load(path("m.gguf"));
    ASSERT_TRUE(model);
    const llama_vocab* llama = llama_model_get_vocab(model.get());
    EXPECT_EQ(detokenize(llama, tokenize(llama, "Hello world")), "<s> Hello world");
}

TEST(DonorVocab, NamesTheFileThatIsMissingOrIsNoGguf) {
    EXPECT_EQ(donor_vocab("/nonexistent/v.gguf").error(),
              (Error{Code::kNotFound, "/nonexistent/v.gguf: No such file or directory"}));
    EXPECT_EQ(donor_vocab("/proc/self/status").error(),
              (Error{Code::kInvalid, "/proc/self/status: not a GGUF file"}));
}

TEST(QuietTokens, AreThoseAReaderWouldNotWantToSee) {
    EXPECT_FALSE(is_quiet_token("\xE2\x96\x81the", 1));  // SentencePiece " the"
    EXPECT_FALSE(is_quiet_token("\xC4\xA0the", 1));      // byte-level BPE " the"
    EXPECT_FALSE(is_quiet_token("<0x0A>", 6));
    EXPECT_TRUE(is_quiet_token("<0x0B>", 6));
    EXPECT_TRUE(is_quiet_token("<s>", 3));
    EXPECT_TRUE(is_quiet_token("\xC3\xA9t\xC3\xA9", 1));
}

TEST(ShapeFor, ComesWithinThreePercentOfTheSize) {
    for (const Quant quant : {Quant::kF16, Quant::kQ8_0, Quant::kQ4_0})
        for (const Architecture architecture :
             {Architecture::kLlama, Architecture::kGemma2, Architecture::kMamba})
            for (const int64_t megabytes : {8, 23, 60, 400}) {
                const SizeGoal goal{mib(megabytes), quant, 1000};
                const Result<Shape> shape = shape_for({.architecture = architecture}, goal);
                ASSERT_TRUE(shape) << shape.error().message;
                EXPECT_TRUE(check_shape(*shape, quant));
                const Bytes bytes = weight_bytes(tensors_of(*shape, goal.vocab_size), quant);
                EXPECT_NEAR(static_cast<double>(bytes.value), static_cast<double>(goal.bytes.value),
                            0.03 * static_cast<double>(goal.bytes.value));
            }
}

TEST(ShapeFor, RefusesAVocabularyLargerThanTheGoal) {
    const Result<Shape> shape = shape_for({}, {mib(8), Quant::kQ8_0, 152'000});
    ASSERT_FALSE(shape);
    EXPECT_EQ(shape.error().code, Code::kInvalid);
}

TEST(CheckShape, HoldsBothSidesOfItsBounds) {
    const Shape good;
    EXPECT_TRUE(check_shape(good, Quant::kQ8_0));
    for (const auto& [layers, ok] : {std::pair{0, false}, {1, true}, {512, true}, {513, false}}) {
        Shape shape = good;
        shape.layers = layers;
        EXPECT_EQ(check_shape(shape, Quant::kQ8_0).has_value(), ok) << layers;
    }
    Shape odd = good;
    odd.embd = 288;
    odd.heads = 9;
    odd.heads_kv = 3;
    EXPECT_TRUE(check_shape(odd, Quant::kQ8_0));
    EXPECT_FALSE(check_shape(odd, Quant::kQ4KM));  // K-quants need rows of 256
    Shape uneven = good;
    uneven.heads_kv = 3;
    EXPECT_FALSE(check_shape(uneven, Quant::kQ8_0));
}

}  // namespace
}  // namespace hotdesk::mkmodel
