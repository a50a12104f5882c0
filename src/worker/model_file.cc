// SPDX-License-Identifier: MIT
#include "worker/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>
#include <utility>
#include <vector>

#include "worker/checksum.h"

namespace hotdesk::worker {
namespace {

// An open file that closes itself.
class File {
  public:
    explicit File(int fd) : fd_(fd) {}
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File& operator=(File&&) = delete;
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    int fd() const { return fd_; }

  private:
    int fd_;
};

struct OpenModel {
    File file;
    int64_t size = 0;
};

Result<OpenModel> open_model(const std::string& path) {
    File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.fd() < 0) {
        const Code code = errno == ENOENT || errno == ENOTDIR ? Code::kNotFound
                          : errno == EACCES                   ? Code::kDenied
                                                              : Code::kInternal;
        return fail(code, fmt::format("model {}: {}", path, std::strerror(errno)));
    }
    struct stat st {};
    if (::fstat(file.fd(), &st) != 0) {
        return fail(Code::kInternal, fmt::format("model {}: {}", path, std::strerror(errno)));
    }
    if (!S_ISREG(st.st_mode)) {
        return fail(Code::kInvalid, fmt::format("model {} is not a regular file", path));
    }
    return OpenModel{std::move(file), st.st_size};
}

bool read_at(const File& file, int64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        const ssize_t n = ::pread(file.fd(), into.data(), into.size(), offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        into = into.subspan(static_cast<size_t>(n));
        offset += n;
    }
    return true;
}

// The fixed start of every GGUF file, little-endian as the engine's builds are.
struct GgufStart {
    char magic[4];
    uint32_t version;
    uint64_t tensors;
    uint64_t pairs;
};
static_assert(sizeof(GgufStart) == 24);

Status check_start(const std::string& path, const OpenModel& model) {
    GgufStart start{};
    if (model.size < static_cast<int64_t>(sizeof start)) {
        return fail(Code::kInvalid, fmt::format("model {} is cut off: {} of at least {} bytes",
                                                path, model.size, sizeof start));
    }
    if (!read_at(model.file, 0, std::as_writable_bytes(std::span(&start, 1)))) {
        return fail(Code::kInternal, fmt::format("model {}: cannot read its first bytes", path));
    }
    if (std::string_view(start.magic, 4) != "GGUF") {
        return fail(
            Code::kInvalid,
            fmt::format("model {} is not GGUF: it begins with {:02x} {:02x} {:02x} {:02x}", path,
                        start.magic[0], start.magic[1], start.magic[2], start.magic[3]));
    }
    if (start.version < 2 || start.version > 3) {
        return fail(Code::kInvalid, fmt::format("model {} is GGUF version {}; 2 and 3 are read",
                                                path, start.version));
    }
    // A tensor's entry takes at least 32 bytes, a key's 13: more of them than the file has room
    // for is a forged count, on which the engine would reserve memory.
    const auto size = static_cast<uint64_t>(model.size);
    if (start.tensors > size / 32 || start.pairs > size / 13) {
        return fail(Code::kInvalid,
                    fmt::format("model {} claims {} tensors and {} keys in {} bytes", path,
                                start.tensors, start.pairs, model.size));
    }
    return {};
}

Status check_one_file(const std::string& path) {
    HD_TRY(const OpenModel model, open_model(path));
    return check_start(path, model);
}

// For "x-00001-of-00003.gguf", the paths of all three; for any other name nothing.
std::vector<std::string> split_parts(const std::string& path) {
    static const std::regex name(R"((.*)-(\d{5})-of-(\d{5})\.gguf)");
    std::smatch match;
    if (!std::regex_match(path, match, name)) return {};
    std::vector<std::string> parts;
    const int count = std::stoi(match[3]);
    for (int i = 1; i <= count; ++i) {
        parts.push_back(fmt::format("{}-{:05}-of-{:05}.gguf", match[1].str(), i, count));
    }
    return parts;
}

}  // namespace

Status check_model_file(const std::string& path) {
    HD_TRY_VOID(check_one_file(path));
    const std::vector<std::string> parts = split_parts(path);
    for (size_t i = 0; i < parts.size(); ++i) {
        if (const auto part = check_one_file(parts[i]); !part) {
            return fail(part.error().code, fmt::format("part {} of {}: {}", i + 1, parts.size(),
                                                       part.error().message));
        }
    }
    return {};
}

Result<std::string> model_identity(const std::string& path) {
    HD_TRY(const OpenModel model, open_model(path));
    constexpr int64_t kHead = 1 << 20, kSample = 4096, kSamples = 64;
    std::vector<std::byte> bytes(static_cast<size_t>(std::min(kHead, model.size)));
    const auto unreadable = [&](int64_t at) {
        return fail(Code::kInternal, fmt::format("model {}: cannot read at {}", path, at));
    };
    if (!read_at(model.file, 0, bytes)) return unreadable(0);
    uint64_t state = checksum(bytes, kChecksumStart + static_cast<uint64_t>(model.size));
    bytes.resize(static_cast<size_t>(std::min(kSample, model.size)));
    for (int64_t i = 0; i < kSamples; ++i) {
        const int64_t at = (model.size - static_cast<int64_t>(bytes.size())) / kSamples * (i + 1);
        if (!read_at(model.file, at, bytes)) return unreadable(at);
        state = checksum(bytes, state);
    }
    return fmt::format("{:016x}", state);
}

}  // namespace hotdesk::worker
