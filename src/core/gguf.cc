// SPDX-License-Identifier: MIT
// A GGUF file is: "GGUF", version, tensor count, key count; the keys, each a name, a type and a
// value; the tensors, each a name, dimensions, a type and an offset; then, aligned, the data. All
// integers are little-endian, all strings carry a 64-bit length.
//
// The cursor is sticky: once a read fails it returns zeros, and the loops stop at their next check.
// Running out of bytes is not yet an error: the caller may have read only the start of the file.
#include "core/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string_view>

namespace hotdesk {
namespace {

// Bounds of what is believable. The largest header seen in the wild is about 30 MiB (a vocabulary
// of 260,000 tokens with merges); llama.cpp itself aborts at more than 512 layers.
constexpr uint64_t kHeaderBytesMax = 256ULL << 20;
constexpr uint64_t kKeyBytesMax = 64ULL << 10;  // of the specification
constexpr uint64_t kStringBytesMax = 16ULL << 20;
constexpr uint64_t kArrayLengthMax = 1ULL << 27;
constexpr uint64_t kKeysMax = 65536;
constexpr uint64_t kTensorsMax = 262144;
constexpr uint64_t kTensorNameMax = 63;  // GGML_MAX_NAME less its final zero
constexpr int64_t kLayersMax = 512;
constexpr int64_t kWidthMax = 1 << 24;  // embedding, heads, lengths: far above any model
constexpr uint64_t kAlignmentMax = 1ULL << 20;

enum ValueType : uint32_t {
    kU8,
    kI8,
    kU16,
    kI16,
    kU32,
    kI32,
    kF32,
    kBool,
    kString,
    kArray,
    kU64,
    kI64,
    kF64
};

// Bytes of one scalar; a string or an array has at least its length. 0: no such type.
uint64_t scalar_bytes(uint32_t type) {
    constexpr std::array<uint64_t, 13> kBytes{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    return type < kBytes.size() ? kBytes[type] : 0;
}

// A value where it lies in the file; nothing is copied before it is asked for.
struct Value {
    uint32_t type = 0;
    uint32_t element = 0;    // type of an array's elements
    uint64_t count = 1;      // of an array
    uint64_t at = 0;         // byte of the file, for messages
    std::string_view bytes;  // the scalar, the text, or the array's elements
};

class Cursor {
  public:
    explicit Cursor(const GgufStart& start)
        : bytes_(reinterpret_cast<const char*>(start.bytes.data()), start.bytes.size()),
          file_size_(static_cast<uint64_t>(start.file_size.value)) {}

    bool ok() const { return !error_ && missing_ == 0; }
    uint64_t at() const { return at_; }
    uint64_t file_size() const { return file_size_; }
    uint64_t missing() const { return missing_; }  // what the header needs, when too few were given
    // At least double, so that a long header takes a handful of reads and not one for each word.
    uint64_t worth_reading() const {
        return std::min(std::max<uint64_t>(missing_, 2 * bytes_.size()), file_size_);
    }
    const std::optional<Error>& error() const { return error_; }

    void reject(uint64_t where, std::string_view what) {
        if (ok()) error_ = Error{Code::kInvalid, fmt::format("byte {}: {}", where, what)};
    }

    // The next `count` bytes, or "" and a cursor that is not ok.
    std::string_view take(uint64_t count) {
        if (!ok()) return {};
        if (count > kHeaderBytesMax || at_ + count > kHeaderBytesMax) {
            reject(at_, fmt::format("the header would be over {} bytes", kHeaderBytesMax));
        } else if (at_ + count > file_size_) {
            error_ = Error{Code::kInvalid, fmt::format("the file is cut off in its header: have {} "
                                                       "of {} bytes",
                                                       file_size_, at_ + count)};
        } else if (at_ + count > bytes_.size()) {
            missing_ = at_ + count;
        } else {
            at_ += count;
            return bytes_.substr(at_ - count, count);
        }
        return {};
    }

    template <class Number>
    Number number() {
        Number value = 0;
        const std::string_view bytes = take(sizeof value);
        if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }

    std::string_view text(uint64_t bytes_max) {
        const uint64_t where = at_;
        const auto length = number<uint64_t>();
        if (length > bytes_max)
            reject(where, fmt::format("a text of {} bytes; at most {}", length, bytes_max));
        return take(length);
    }

  private:
    std::string_view bytes_;
    uint64_t file_size_;
    uint64_t at_ = 0;
    uint64_t missing_ = 0;
    std::optional<Error> error_;
};

std::optional<int64_t> as_integer(uint32_t type, std::string_view bytes) {
    const auto read = [&](auto number) -> std::optional<int64_t> {
        std::memcpy(&number, bytes.data(), sizeof number);
        if (!std::in_range<int64_t>(number)) return std::nullopt;
        return static_cast<int64_t>(number);
    };
    switch (type) {
        case kU8: return read(uint8_t{});
        case kI8: return read(int8_t{});
        case kU16: return read(uint16_t{});
        case kI16: return read(int16_t{});
        case kU32: return read(uint32_t{});
        case kI32: return read(int32_t{});
        case kU64: return read(uint64_t{});
        case kI64: return read(int64_t{});
        default: return std::nullopt;
    }
}

class HeaderReader {
  public:
    explicit HeaderReader(const GgufStart& start) : in_(start) {}

    Result<std::variant<ModelHeader, NeedMoreBytes>> read() {
        read_counts();
        for (uint64_t i = 0; i < key_count_ && in_.ok(); ++i) read_key();
        if (in_.ok()) read_alignment();
        for (uint64_t i = 0; i < tensor_count_ && in_.ok(); ++i) read_tensor();
        if (in_.ok()) take_facts();
        if (in_.ok()) place_data();
        if (in_.error()) return tl::unexpected(*in_.error());
        if (in_.missing() != 0) return NeedMoreBytes{{static_cast<int64_t>(in_.worth_reading())}};
        return std::move(header_);
    }

  private:
    void read_counts() {
        if (const std::string_view magic = in_.take(4); in_.ok() && magic != "GGUF")
            in_.reject(0, "not a GGUF file: it does not begin with \"GGUF\"");
        header_.version = in_.number<uint32_t>();
        if (in_.ok() && (header_.version & 0xFFFF) == 0)
            in_.reject(4, "a big-endian GGUF file; this machine is little-endian");
        if (in_.ok() && header_.version != 2 && header_.version != 3)
            in_.reject(4,
                       fmt::format("GGUF version {}; versions 2 and 3 are known", header_.version));
        tensor_count_ = in_.number<uint64_t>();
        if (tensor_count_ > kTensorsMax)
            in_.reject(8, fmt::format("{} tensors; at most {}", tensor_count_, kTensorsMax));
        key_count_ = in_.number<uint64_t>();
        if (key_count_ > kKeysMax)
            in_.reject(16, fmt::format("{} keys; at most {}", key_count_, kKeysMax));
    }

    void read_key() {
        const uint64_t where = in_.at();
        const std::string_view key = in_.text(kKeyBytesMax);
        Value value{.type = in_.number<uint32_t>(), .at = in_.at()};
        if (in_.ok() && key.empty()) in_.reject(where, "a key without a name");
        if (in_.ok() && scalar_bytes(value.type) == 0)
            in_.reject(where, fmt::format("key {} has the unknown type {}", key, value.type));
        if (value.type == kArray) {
            read_array(key, value);
        } else if (value.type == kString) {
            value.bytes = in_.text(kStringBytesMax);
        } else {
            value.bytes = in_.take(scalar_bytes(value.type));
        }
        if (in_.ok() && !values_.emplace(key, value).second)
            in_.reject(where, fmt::format("key {} appears twice", key));
    }

    void read_array(std::string_view key, Value& value) {
        value.element = in_.number<uint32_t>();
        value.count = in_.number<uint64_t>();
        if (!in_.ok()) return;
        const uint64_t each = scalar_bytes(value.element);
        if (each == 0 || value.element == kArray)
            return in_.reject(value.at,
                              fmt::format("key {} is an array of type {}", key, value.element));
        if (value.count > kArrayLengthMax || value.count * each > in_.file_size())
            return in_.reject(value.at,
                              fmt::format("key {} is an array of {} elements in a file of {} "
                                          "bytes",
                                          key, value.count, in_.file_size()));
        if (value.element != kString) {
            value.bytes = in_.take(value.count * each);
            return;
        }
        for (uint64_t i = 0; i < value.count && in_.ok(); ++i) in_.text(kStringBytesMax);
    }

    void read_alignment() {
        const Value* value = find("general.alignment");
        if (value == nullptr) return;
        const auto number = value->type == kU32 ? as_integer(kU32, value->bytes) : std::nullopt;
        if (!number || !std::has_single_bit(static_cast<uint64_t>(*number)) ||
            static_cast<uint64_t>(*number) > kAlignmentMax)
            return in_.reject(value->at,
                              fmt::format("general.alignment must be a 32-bit power of two "
                                          "up to {}",
                                          kAlignmentMax));
        alignment_ = static_cast<uint64_t>(*number);
    }

    void read_tensor() {
        const uint64_t where = in_.at();
        TensorInfo tensor;
        const std::string_view name = in_.text(kTensorNameMax);
        const auto rank = in_.number<uint32_t>();
        if (in_.ok() && rank > tensor.dims.size())
            in_.reject(where, fmt::format("tensor {} has {} dimensions; at most 4", name, rank));
        for (uint32_t i = 0; i < rank && in_.ok(); ++i) tensor.dims[i] = in_.number<int64_t>();
        tensor.type = in_.number<uint32_t>();
        tensor.offset = {in_.number<int64_t>()};
        if (!in_.ok()) return;
        if (!names_.insert(name).second)
            return in_.reject(where, fmt::format("tensor {} appears twice", name));
        tensor.name = name;
        if (const Status sized = set_size(tensor); !sized)
            return in_.reject(where, fmt::format("tensor {}: {}", name, sized.error().message));
        header_.tensors.push_back(std::move(tensor));
    }

    Status set_size(TensorInfo& tensor) const {
        const auto type = tensor_type(tensor.type);
        if (!type) return fail(Code::kInvalid, fmt::format("unknown type {}", tensor.type));
        int64_t elements = 1;
        for (const int64_t dim : tensor.dims)
            if (dim < 1 || __builtin_mul_overflow(elements, dim, &elements))
                return fail(Code::kInvalid,
                            fmt::format("dimensions {} x {} x {} x {}", tensor.dims[0],
                                        tensor.dims[1], tensor.dims[2], tensor.dims[3]));
        if (tensor.dims[0] % type->block != 0)
            return fail(Code::kInvalid,
                        fmt::format("{} columns are not a multiple of its block of {}",
                                    tensor.dims[0], type->block));
        if (__builtin_mul_overflow(elements / type->block, type->bytes, &tensor.size.value))
            return fail(Code::kInvalid, "its size overflows 64 bits");
        if (tensor.offset.value < 0 || static_cast<uint64_t>(tensor.offset.value) % alignment_ != 0)
            return fail(Code::kInvalid,
                        fmt::format("offset {} is not a multiple of the alignment {}",
                                    tensor.offset.value, alignment_));
        return {};
    }

    void place_data() {
        const uint64_t start = (in_.at() + alignment_ - 1) / alignment_ * alignment_;
        header_.data_offset = {static_cast<int64_t>(start)};
        int64_t end = header_.data_offset.value;
        uint64_t sum = 0;
        for (const TensorInfo& tensor : header_.tensors) {
            int64_t last = 0;
            if (__builtin_add_overflow(header_.data_offset.value, tensor.offset.value, &last) ||
                __builtin_add_overflow(last, tensor.size.value, &last))
                return in_.reject(start, fmt::format("tensor {} ends beyond 64 bits", tensor.name));
            end = std::max(end, last);
            // Held at 2^63, so that no number of tensors makes it wrap.
            sum = std::min(sum + static_cast<uint64_t>(tensor.size.value), uint64_t{1} << 63);
        }
        if (header_.tensors.empty()) return;
        if (static_cast<uint64_t>(end) > in_.file_size())
            return in_.reject(
                in_.file_size(),
                fmt::format("the file is cut off: have {} of {} bytes", in_.file_size(), end));
        if (sum > static_cast<uint64_t>(end) - start)
            in_.reject(start, fmt::format("its tensors overlap: {} bytes in a space of {}", sum,
                                          static_cast<uint64_t>(end) - start));
    }

    // ---- from keys to facts

    const Value* find(std::string_view key) const {
        const auto found = values_.find(key);
        return found == values_.end() ? nullptr : &found->second;
    }
    const Value* find_own(std::string_view key) const {
        return find(fmt::format("{}.{}", header_.architecture, key));
    }

    std::string text_of(std::string_view key) const {
        const Value* value = find(key);
        return value != nullptr && value->type == kString ? std::string(value->bytes)
                                                          : std::string();
    }

    // The number of a scalar key, 0 when it is missing; rejects what is not an integer in 0..max.
    int64_t number_of(const Value* value, std::string_view key, int64_t max) {
        if (value == nullptr) return 0;
        const auto number = as_integer(value->type, value->bytes);
        if (number && *number >= 0 && *number <= max) return *number;
        in_.reject(value->at, number ? fmt::format("{} is {}; at most {}", key, *number, max)
                                     : fmt::format("{} is not an integer", key));
        return 0;
    }
    int64_t own_number(std::string_view key, int64_t max = kWidthMax) {
        return number_of(find_own(key), key, max);
    }

    // One number for each layer, from a scalar or an array; `otherwise` when the key is missing.
    std::vector<int64_t> per_layer(std::string_view key, const std::vector<int64_t>& otherwise) {
        const Value* value = find_own(key);
        const auto layers = static_cast<size_t>(header_.layers);
        if (value == nullptr) return otherwise;
        if (value->type != kArray)
            return std::vector<int64_t>(layers, number_of(value, key, kWidthMax));
        std::vector<int64_t> numbers;
        if (value->count != layers) {
            in_.reject(value->at,
                       fmt::format("{} has {} numbers for {} layers", key, value->count, layers));
            return numbers;
        }
        const uint64_t each = scalar_bytes(value->element);
        for (size_t i = 0; i < layers; ++i) {
            // The elements of an array of texts are not kept, and are no numbers.
            const Value one{
                .type = value->element,
                .at = value->at,
                .bytes = value->element == kString ? "" : value->bytes.substr(i * each, each)};
            numbers.push_back(number_of(&one, key, kWidthMax));
        }
        return numbers;
    }

    void take_facts() {
        header_.architecture = text_of("general.architecture");
        if (header_.architecture.empty())
            return in_.reject(in_.at(), "general.architecture is missing: not a model");
        header_.name = text_of("general.name");
        header_.has_chat_template = find("tokenizer.chat_template") != nullptr;
        if (const Value* type = find("general.file_type"); type != nullptr)
            header_.file_type = static_cast<uint32_t>(
                number_of(type, "general.file_type", std::numeric_limits<uint32_t>::max()));
        take_shape();
        take_attention();
        take_split();
    }

    void take_shape() {
        header_.layers = own_number("block_count", kLayersMax);
        if (find_own("block_count") != nullptr && header_.layers == 0)
            in_.reject(find_own("block_count")->at, "block_count is 0");
        header_.embd = own_number("embedding_length");
        header_.context_length = own_number("context_length", std::numeric_limits<uint32_t>::max());
        header_.window =
            own_number("attention.sliding_window", std::numeric_limits<uint32_t>::max());
        header_.vocab_size = own_number("vocab_size");
        if (const Value* tokens = find("tokenizer.ggml.tokens"); tokens != nullptr)
            header_.vocab_size = static_cast<int64_t>(tokens->count);
        header_.ssm_conv = own_number("ssm.conv_kernel");
        header_.ssm_inner = own_number("ssm.inner_size");
        header_.ssm_state = own_number("ssm.state_size");
        header_.ssm_groups = own_number("ssm.group_count");
        header_.experts = own_number("expert_count");
        header_.experts_used = own_number("expert_used_count");
        if (header_.experts_used > header_.experts)
            in_.reject(in_.at(),
                       fmt::format("{} experts used of {}", header_.experts_used, header_.experts));
    }

    void take_attention() {
        const std::vector<int64_t> none(static_cast<size_t>(header_.layers), 0);
        header_.ff = per_layer("feed_forward_length", none);
        header_.heads = per_layer("attention.head_count", none);
        header_.heads_kv = per_layer("attention.head_count_kv", header_.heads);
        const int64_t heads = header_.heads.empty()
                                  ? 0
                                  : *std::max_element(header_.heads.begin(), header_.heads.end());
        const int64_t even = heads == 0 ? 0 : header_.embd / heads;
        header_.key_length = own_number("attention.key_length");
        header_.value_length = own_number("attention.value_length");
        if (header_.key_length == 0) header_.key_length = even;
        if (header_.value_length == 0) header_.value_length = even;
    }

    void take_split() {
        constexpr int64_t kSplitsMax = std::numeric_limits<uint16_t>::max();
        header_.split_no = number_of(find("split.no"), "split.no", kSplitsMax);
        header_.split_count = number_of(find("split.count"), "split.count", kSplitsMax);
        if (header_.split_no >= std::max<int64_t>(header_.split_count, 1))
            in_.reject(in_.at(), fmt::format("split.no {} of {} files", header_.split_no,
                                             header_.split_count));
    }

    Cursor in_;
    uint64_t tensor_count_ = 0;
    uint64_t key_count_ = 0;
    uint64_t alignment_ = 32;  // GGUF's default
    std::map<std::string_view, Value> values_;
    std::set<std::string_view> names_;
    ModelHeader header_;
};

}  // namespace

std::optional<TensorType> tensor_type(uint32_t number) {
    switch (number) {
        case 0: return TensorType{1, 4};       // F32
        case 1: return TensorType{1, 2};       // F16
        case 2: return TensorType{32, 18};     // Q4_0
        case 3: return TensorType{32, 20};     // Q4_1
        case 6: return TensorType{32, 22};     // Q5_0
        case 7: return TensorType{32, 24};     // Q5_1
        case 8: return TensorType{32, 34};     // Q8_0
        case 9: return TensorType{32, 36};     // Q8_1
        case 10: return TensorType{256, 84};   // Q2_K
        case 11: return TensorType{256, 110};  // Q3_K
        case 12: return TensorType{256, 144};  // Q4_K
        case 13: return TensorType{256, 176};  // Q5_K
        case 14: return TensorType{256, 210};  // Q6_K
        case 15: return TensorType{256, 292};  // Q8_K
        case 16: return TensorType{256, 66};   // IQ2_XXS
        case 17: return TensorType{256, 74};   // IQ2_XS
        case 18: return TensorType{256, 98};   // IQ3_XXS
        case 19: return TensorType{256, 50};   // IQ1_S
        case 20: return TensorType{32, 18};    // IQ4_NL
        case 21: return TensorType{256, 110};  // IQ3_S
        case 22: return TensorType{256, 82};   // IQ2_S
        case 23: return TensorType{256, 136};  // IQ4_XS
        case 24: return TensorType{1, 1};      // I8
        case 25: return TensorType{1, 2};      // I16
        case 26: return TensorType{1, 4};      // I32
        case 27: return TensorType{1, 8};      // I64
        case 28: return TensorType{1, 8};      // F64
        case 29: return TensorType{256, 56};   // IQ1_M
        case 30: return TensorType{1, 2};      // BF16
        case 34: return TensorType{256, 54};   // TQ1_0
        case 35: return TensorType{256, 66};   // TQ2_0
        case 39: return TensorType{32, 17};    // MXFP4
        case 40: return TensorType{64, 36};    // NVFP4
        case 41: return TensorType{128, 18};   // Q1_0
        case 42: return TensorType{64, 18};    // Q2_0
        default: return std::nullopt;
    }
}

Result<std::variant<ModelHeader, NeedMoreBytes>> read_gguf(const GgufStart& start) {
    return HeaderReader(start).read();
}

}  // namespace hotdesk
