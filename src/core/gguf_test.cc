// SPDX-License-Identifier: MIT
#include "core/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace hotdesk {
namespace {

using testing::HasSubstr;

// Builds a GGUF file in memory, so that a test says only what is odd about its file.
class File {
  public:
    template <class Number>
    File& number(Number value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    File& text(std::string_view value) {
        number<uint64_t>(value.size());
        bytes_ += value;
        return *this;
    }
    File& raw(std::string_view value) {
        bytes_ += value;
        return *this;
    }
    File& start(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
        return raw("GGUF").number(version).number(tensors).number(keys);
    }
    File& key(std::string_view name, std::string_view value) {
        return text(name).number<uint32_t>(8).text(value);
    }
    File& key(std::string_view name, uint32_t value) {
        return text(name).number<uint32_t>(4).number(value);
    }
    File& array(std::string_view name, uint32_t element, uint64_t count) {
        return text(name).number<uint32_t>(9).number(element).number(count);
    }
    File& tensor(std::string_view name, std::pair<int64_t, int64_t> dims, uint32_t type,
                 uint64_t offset) {
        return text(name)
            .number<uint32_t>(2)
            .number(dims.first)
            .number(dims.second)
            .number(type)
            .number(offset);
    }
    File& pad(size_t multiple) {
        bytes_.resize((bytes_.size() + multiple - 1) / multiple * multiple);
        return *this;
    }
    File& data(size_t count) {
        bytes_.append(count, '\0');
        return *this;
    }
    size_t size() const { return bytes_.size(); }

    Result<std::variant<ModelHeader, NeedMoreBytes>> read() const {
        return read_first(size(), size());
    }
    Result<std::variant<ModelHeader, NeedMoreBytes>> read_first(size_t count,
                                                                size_t file_size) const {
        return read_gguf(
            {std::as_bytes(std::span(bytes_).first(count)), {static_cast<int64_t>(file_size)}});
    }
    std::string error() const {
        const auto header = read();
        return header ? "no error" : header.error().message;
    }

  private:
    std::string bytes_;
};

// A model of two layers with the attention of a small llama and one tensor of 64 x 3 F16.
File small_model() {
    File file;
    file.start(1, 7)
        .key("general.architecture", "llama")
        .key("general.name", "small")
        .key("llama.block_count", 2)
        .key("llama.embedding_length", 64)
        .key("llama.attention.head_count", 4)
        .key("llama.attention.head_count_kv", 2)
        .array("tokenizer.ggml.tokens", 8, 2)
        .text("a")
        .text("b")
        .tensor("token_embd.weight", {64, 3}, 1, 0)
        .pad(32)
        .data(64 * 3 * 2);
    return file;
}

ModelHeader header_of(const File& file) {
    const auto read = file.read();
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::get<ModelHeader>(*read) : ModelHeader{};
}

TEST(Gguf, ReadsWhatAModelIs) {
    const File file = small_model();
    ModelHeader expected;
    expected.version = 3;
    expected.architecture = "llama";
    expected.name = "small";
    expected.layers = 2;
    expected.embd = 64;
    expected.ff = {0, 0};
    expected.heads = {4, 4};
    expected.heads_kv = {2, 2};
    expected.key_length = 16;  // 64 / 4: the file does not say
    expected.value_length = 16;
    expected.vocab_size = 2;
    expected.data_offset = {static_cast<int64_t>(file.size() - 384)};
    expected.tensors = {{"token_embd.weight", 1, {64, 3, 1, 1}, {0}, {384}}};
    EXPECT_EQ(header_of(file), expected);
}

TEST(Gguf, TakesOneNumberForEachLayerFromAnArray) {
    File file;
    file.start(0, 4)
        .key("general.architecture", "jamba")
        .key("jamba.block_count", 3)
        .key("jamba.attention.head_count", 4)
        .array("jamba.attention.head_count_kv", 5, 3)
        .number<int32_t>(0)
        .number<int32_t>(2)
        .number<int32_t>(0);
    EXPECT_EQ(header_of(file).heads_kv, (std::vector<int64_t>{0, 2, 0}));
}

TEST(Gguf, RefusesAnArrayThatDoesNotMatchTheLayers) {
    File file;
    file.start(0, 3)
        .key("general.architecture", "jamba")
        .key("jamba.block_count", 3)
        .array("jamba.attention.head_count_kv", 5, 2)
        .number<int64_t>(0);
    EXPECT_THAT(file.error(), HasSubstr("attention.head_count_kv has 2 numbers for 3 layers"));
}

TEST(Gguf, AsksForMoreAtEveryPlaceWhereTheHeaderMayBeCut) {
    const File file = small_model();
    const size_t header_bytes = file.size() - 384;
    size_t answers = 0;
    for (size_t given = 0; given < file.size(); ++given) {
        const auto read = file.read_first(given, file.size());
        ASSERT_TRUE(read) << given << ": " << read.error().message;
        if (const auto* more = std::get_if<NeedMoreBytes>(&*read)) {
            EXPECT_GT(more->bytes.value, static_cast<int64_t>(given));
            EXPECT_GE(more->bytes.value, static_cast<int64_t>(std::min(2 * given, file.size())));
            EXPECT_LE(more->bytes.value, static_cast<int64_t>(file.size()));
            ++answers;
        }
    }
    EXPECT_GT(answers, header_bytes - 32);  // padding before the data is not needed
    EXPECT_LE(answers, header_bytes);
}

TEST(Gguf, SaysHowMuchOfACutFileIsThere) {
    const File file = small_model();
    for (size_t size = 0; size < file.size(); ++size) {
        const auto read = file.read_first(size, size);
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, Code::kInvalid);
        EXPECT_THAT(read.error().message, HasSubstr("have " + std::to_string(size) + " of "));
    }
    EXPECT_TRUE(file.read());
}

TEST(Gguf, KnowsOtherFilesByTheirFirstBytes) {
    EXPECT_EQ(File().raw("PK\3\4 a zip archive, not a model").error(),
              "byte 0: not a GGUF file: it does not begin with \"GGUF\"");
    EXPECT_THAT(File().start(0, 0, 0x03000000).error(), HasSubstr("big-endian"));
    EXPECT_THAT(File().start(0, 0, 1).error(), HasSubstr("GGUF version 1; versions 2 and 3"));
    EXPECT_THAT(File().start(0, 0, 4).error(), HasSubstr("GGUF version 4"));
    EXPECT_THAT(File().start(0, 0, 2).error(), HasSubstr("general.architecture is missing"));
}

TEST(Gguf, BoundsItsCountsBeforeItBelievesThem) {
    EXPECT_THAT(File().start(262145, 0).error(),
                HasSubstr("byte 8: 262145 tensors; at most 262144"));
    EXPECT_THAT(File().start(262144, 0).error(), HasSubstr("have 24 of"));
    EXPECT_THAT(File().start(0, 65537).error(), HasSubstr("byte 16: 65537 keys; at most 65536"));
    EXPECT_THAT(File().start(0, 65536).error(), HasSubstr("have 24 of"));
    EXPECT_THAT(File().start(~0ULL, ~0ULL).error(), HasSubstr("tensors; at most"));
}

TEST(Gguf, BoundsTheLengthsOfTexts) {
    const auto key_of = [](uint64_t length) { return File().start(0, 1).number(length).error(); };
    EXPECT_THAT(key_of(65537), HasSubstr("a text of 65537 bytes; at most 65536"));
    EXPECT_THAT(key_of(65536), HasSubstr("have 32 of"));
    EXPECT_THAT(key_of(~0ULL), HasSubstr("a text of 18446744073709551615 bytes"));
    const auto value_of = [](uint64_t length) {
        return File().start(0, 1).text("k").number<uint32_t>(8).number(length).error();
    };
    EXPECT_THAT(value_of((16 << 20) + 1), HasSubstr("a text of 16777217 bytes; at most 16777216"));
    EXPECT_THAT(value_of(16 << 20), HasSubstr("have 45 of 16777261"));
}

TEST(Gguf, BoundsTheLengthsOfArraysByTheFile) {
    const auto array_of = [](uint64_t count) {
        return File().start(0, 1).array("k", 10, count).error();
    };
    EXPECT_THAT(array_of(1ULL << 61),
                HasSubstr("key k is an array of 2305843009213693952 elements"));
    EXPECT_THAT(array_of(7),
                HasSubstr("an array of 7 elements in a file of 49 bytes"));  // 56 bytes
    EXPECT_THAT(array_of(6), HasSubstr("have 49 of 97"));                    // 48 bytes
    EXPECT_THAT(File().start(0, 1).array("k", 9, 1).error(), HasSubstr("an array of type 9"));
    EXPECT_THAT(File().start(0, 1).array("k", 13, 1).error(), HasSubstr("an array of type 13"));
}

TEST(Gguf, RefusesKeysThatAreOddOrTwice) {
    EXPECT_THAT(File().start(0, 1).text("k").number<uint32_t>(13).error(),
                HasSubstr("byte 24: key k has the unknown type 13"));
    EXPECT_THAT(File().start(0, 1).key("", 1).error(), HasSubstr("a key without a name"));
    EXPECT_THAT(File().start(0, 2).key("k", 1).key("k", 2).error(),
                HasSubstr("key k appears twice"));
}

// The file of one tensor, sized so that only the tensor can be wrong.
std::string error_of_tensor(std::pair<int64_t, int64_t> dims, uint32_t type, uint64_t offset) {
    return File()
        .start(1, 1)
        .key("general.architecture", "llama")
        .tensor("t", dims, type, offset)
        .pad(32)
        .data(1024)
        .error();
}

TEST(Gguf, RefusesTensorsThatCannotBe) {
    EXPECT_EQ(error_of_tensor({32, 2}, 8, 0), "no error");
    EXPECT_THAT(error_of_tensor({0, 2}, 8, 0), HasSubstr("tensor t: dimensions 0 x 2 x 1 x 1"));
    EXPECT_THAT(error_of_tensor({32, -1}, 8, 0), HasSubstr("dimensions 32 x -1"));
    EXPECT_THAT(error_of_tensor({33, 2}, 8, 0),
                HasSubstr("33 columns are not a multiple of its block"));
    EXPECT_THAT(error_of_tensor({32, 2}, 4, 0), HasSubstr("unknown type 4"));
    EXPECT_THAT(error_of_tensor({32, 2}, 43, 0), HasSubstr("unknown type 43"));
    EXPECT_THAT(error_of_tensor({32, 2}, 8, 16),
                HasSubstr("offset 16 is not a multiple of the alignment"));
    EXPECT_THAT(error_of_tensor({32, 2}, 8, ~31ULL), HasSubstr("is not a multiple"));  // negative
}

TEST(Gguf, ChecksTheArithmeticOfSizes) {
    const int64_t big = 1LL << 32;
    EXPECT_THAT(error_of_tensor({big, big}, 0, 0), HasSubstr("dimensions 4294967296 x 4294967296"));
    EXPECT_THAT(error_of_tensor({big, 1LL << 30}, 0, 0), HasSubstr("its size overflows 64 bits"));
    EXPECT_THAT(error_of_tensor({32, 2}, 8, (1ULL << 63) - 32), HasSubstr("ends beyond 64 bits"));
}

TEST(Gguf, RefusesTensorDataBeyondTheFile) {
    EXPECT_EQ(error_of_tensor({256, 1}, 0, 0), "no error");  // 1024 bytes of 1024
    EXPECT_THAT(error_of_tensor({257, 1}, 0, 0), HasSubstr("the file is cut off: have"));
    EXPECT_THAT(error_of_tensor({256, 1}, 0, 32), HasSubstr("the file is cut off: have"));
}

TEST(Gguf, RefusesTensorsThatOverlap) {
    const auto second_at = [](uint64_t offset) {
        return File()
            .start(2, 1)
            .key("general.architecture", "llama")
            .tensor("a", {16, 1}, 0, 0)
            .tensor("b", {16, 1}, 0, offset)
            .pad(32)
            .data(256)
            .error();
    };
    EXPECT_EQ(second_at(64), "no error");
    EXPECT_THAT(second_at(32), HasSubstr("its tensors overlap: 128 bytes in a space of 96"));
}

TEST(Gguf, RefusesTensorNamesThatAreLongOrTwice) {
    const auto named = [](const std::string& name) {
        return File()
            .start(2, 1)
            .key("general.architecture", "llama")
            .tensor("t", {32, 1}, 0, 0)
            .tensor(name, {32, 1}, 0, 128)
            .pad(32)
            .data(256)
            .error();
    };
    EXPECT_EQ(named(std::string(63, 'n')), "no error");
    EXPECT_THAT(named(std::string(64, 'n')), HasSubstr("a text of 64 bytes; at most 63"));
    EXPECT_THAT(named("t"), HasSubstr("tensor t appears twice"));
}

TEST(Gguf, HonoursAnAlignmentThatIsAPowerOfTwo) {
    const auto aligned = [](uint32_t alignment, uint64_t offset) {
        return File()
            .start(1, 2)
            .key("general.architecture", "llama")
            .key("general.alignment", alignment)
            .tensor("t", {32, 1}, 0, offset)
            .pad(4096)
            .data(256)
            .error();
    };
    EXPECT_EQ(aligned(8, 8), "no error");
    EXPECT_EQ(aligned(64, 64), "no error");
    EXPECT_THAT(aligned(64, 32), HasSubstr("offset 32 is not a multiple of the alignment 64"));
    for (const uint32_t wrong : {0U, 3U, 48U, 1U << 21, 1U << 31})
        EXPECT_THAT(aligned(wrong, 0), HasSubstr("general.alignment must be")) << wrong;
    EXPECT_THAT(File().start(0, 1).key("general.alignment", "32").error(),
                HasSubstr("general.alignment must be"));
}

// What a header with one more key says.
std::string error_with(std::string_view key, uint32_t value) {
    return File().start(0, 2).key("general.architecture", "llama").key(key, value).error();
}

TEST(Gguf, RefusesNumbersThatWouldAbortLlama) {
    EXPECT_THAT(error_with("llama.block_count", 0), HasSubstr("block_count is 0"));
    EXPECT_EQ(error_with("llama.block_count", 1), "no error");
    EXPECT_EQ(error_with("llama.block_count", 512), "no error");
    EXPECT_THAT(error_with("llama.block_count", 513), HasSubstr("block_count is 513; at most 512"));
    EXPECT_THAT(error_with("llama.block_count", 1U << 31), HasSubstr("at most 512"));
    EXPECT_THAT(error_with("llama.expert_used_count", 1), HasSubstr("1 experts used of 0"));
    EXPECT_THAT(error_with("llama.embedding_length", (1U << 24) + 1),
                HasSubstr("at most 16777216"));
    EXPECT_EQ(error_with("llama.context_length", 0xFFFFFFFF), "no error");
}

TEST(Gguf, RefusesATextWhereANumberBelongs) {
    const std::string error = File()
                                  .start(0, 2)
                                  .key("general.architecture", "llama")
                                  .key("llama.block_count", "many")
                                  .error();
    EXPECT_THAT(error, HasSubstr("block_count is not an integer"));
}

TEST(Gguf, KnowsWhichPartOfASplitModelItIs) {
    const auto part = [](uint32_t number, uint32_t count) {
        File file;
        file.start(0, 3)
            .key("general.architecture", "llama")
            .key("split.no", number)
            .key("split.count", count);
        return file;
    };
    EXPECT_EQ(header_of(part(1, 2)).split_no, 1);
    EXPECT_EQ(header_of(part(1, 2)).split_count, 2);
    EXPECT_THAT(part(2, 2).error(), HasSubstr("split.no 2 of 2 files"));
    EXPECT_EQ(header_of(part(0, 0)).split_count, 0);
}

TEST(Gguf, RefusesAHeaderOver256MiB) {
    // Arrays of the largest size, in a file that could hold them: nothing is read beyond the bound.
    File file;
    file.start(0, 3).array("a", 10, 1ULL << 25).data(8);
    EXPECT_THAT(file.read_first(file.size(), 1ULL << 40).error().message,
                HasSubstr("the header would be over 268435456 bytes"));
}

TEST(TensorType, GivesBlockAndBytesOfKnownTypesOnly) {
    EXPECT_EQ(tensor_type(0)->bytes, 4);
    EXPECT_EQ(tensor_type(12)->block, 256);
    EXPECT_EQ(tensor_type(12)->bytes, 144);
    for (const uint32_t removed : {4U, 5U, 31U, 36U, 43U, 0xFFFFFFFFU})
        EXPECT_FALSE(tensor_type(removed));
}

}  // namespace
}  // namespace hotdesk
