// SPDX-License-Identifier: MIT
#include "worker/park_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "worker/checksum.h"

namespace hotdesk::worker {
namespace {

constexpr char kMagic[8] = {'H', 'D', 'P', 'A', 'R', 'K', '1', '\n'};

struct Header {
    char magic[8];
    uint64_t identity_bytes, token_count, state_bytes;
    uint64_t checksum;
};
static_assert(sizeof(Header) == 40);

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileCloser>;

tl::unexpected<Error> os_failure(const std::string& path, std::string_view what) {
    const Code code = errno == ENOSPC || errno == EDQUOT  ? Code::kNoSpace
                      : errno == EACCES || errno == EPERM ? Code::kDenied
                      : errno == ENOENT                   ? Code::kNotFound
                                                          : Code::kInternal;
    return fail(code, fmt::format("parked context {}: {}: {}", path, what, std::strerror(errno)));
}

uint64_t checksum_of(const ParkedContext& parked) {
    uint64_t state = checksum(std::as_bytes(std::span(parked.identity)));
    state = checksum(std::as_bytes(std::span(parked.tokens)), state);
    return checksum(parked.state, state);
}

bool write_all(std::FILE* file, std::span<const std::byte> bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

bool read_all(std::FILE* file, std::span<std::byte> bytes) {
    return std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

Status write_file(const std::string& path, const ParkedContext& parked, const Header& header) {
    FilePtr file(std::fopen(path.c_str(), "wbe"));
    if (!file) return os_failure(path, "cannot be created");
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    const bool is_written = write_all(file.get(), std::as_bytes(std::span(&header, 1))) &&
                            write_all(file.get(), std::as_bytes(std::span(parked.identity))) &&
                            write_all(file.get(), std::as_bytes(std::span(parked.tokens))) &&
                            write_all(file.get(), parked.state);
    if (!is_written) return os_failure(path, "cannot be written");
    if (std::fclose(file.release()) != 0) return os_failure(path, "cannot be written");
    return {};
}

// True if the sizes in the header add up to exactly the file's.
bool is_consistent(const Header& header, uint64_t file_bytes) {
    constexpr uint64_t kSane = uint64_t{1} << 48;  // keeps the sum from wrapping round
    if (header.identity_bytes > kSane || header.token_count > kSane || header.state_bytes > kSane) {
        return false;
    }
    return sizeof header + header.identity_bytes + header.token_count * sizeof(Token) +
               header.state_bytes ==
           file_bytes;
}

}  // namespace

Result<Bytes> write_parked(const std::string& path, const ParkedContext& parked) {
    Header header{.magic = {},
                  .identity_bytes = parked.identity.size(),
                  .token_count = parked.tokens.size(),
                  .state_bytes = parked.state.size(),
                  .checksum = checksum_of(parked)};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    const std::string temporary = path + ".part";
    auto written = write_file(temporary, parked, header);
    if (written && std::rename(temporary.c_str(), path.c_str()) != 0) {
        written = os_failure(path, "cannot be put in place");
    }
    if (!written) {
        std::remove(temporary.c_str());
        return tl::unexpected(written.error());
    }
    return Bytes{static_cast<int64_t>(sizeof header + parked.identity.size() +
                                      parked.tokens.size() * sizeof(Token) + parked.state.size())};
}

Result<ParkedContext> read_parked(const std::string& path, const std::string& identity) {
    const auto invalid = [&](std::string_view why) {
        return fail(Code::kInvalid, fmt::format("parked context {} {}", path, why));
    };
    FilePtr file(std::fopen(path.c_str(), "rbe"));
    if (!file) return os_failure(path, "cannot be opened");
    struct stat st {};
    if (::fstat(::fileno(file.get()), &st) != 0) return os_failure(path, "cannot be read");
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    Header header{};
    if (!read_all(file.get(), std::as_writable_bytes(std::span(&header, 1))) ||
        std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
        return invalid("is no parked context");
    }
    if (!is_consistent(header, static_cast<uint64_t>(st.st_size))) return invalid("is cut off");
    ParkedContext parked;
    parked.identity.resize(header.identity_bytes);
    parked.tokens.resize(header.token_count);
    parked.state.resize(header.state_bytes);
    if (!read_all(file.get(), std::as_writable_bytes(std::span(parked.identity))) ||
        !read_all(file.get(), std::as_writable_bytes(std::span(parked.tokens))) ||
        !read_all(file.get(), parked.state)) {
        return os_failure(path, "cannot be read");
    }
    if (checksum_of(parked) != header.checksum) return invalid("is damaged: its checksum differs");
    if (parked.identity != identity) {
        return invalid(
            fmt::format("belongs to model {}, and this is {}", parked.identity, identity));
    }
    return parked;
}

}  // namespace hotdesk::worker
