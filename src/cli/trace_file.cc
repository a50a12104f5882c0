// SPDX-License-Identifier: MIT
#include "cli/trace_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace hotdesk {

Result<std::string> read_trace_file(const std::string& path) {
    constexpr size_t kBytesMax = size_t{1} << 30;
    constexpr unsigned kBlock = 1 << 16;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
    if (!file) return fail(Code::kNotFound, fmt::format("{}: {}", path, std::strerror(errno)));
    std::string text;
    while (text.size() <= kBytesMax) {
        size_t before = text.size();
        text.resize(before + kBlock);
        int got = gzread(file.get(), text.data() + before, kBlock);
        text.resize(before + static_cast<size_t>(std::max(got, 0)));
        int error = Z_OK;
        const char* what = gzerror(file.get(), &error);
        // A directory, or an archive that breaks off.
        if (error != Z_OK)
            return fail(
                Code::kInvalid,
                fmt::format("{}: {}", path, error == Z_ERRNO ? std::strerror(errno) : what));
        if (got == 0) return text;
    }
    return fail(Code::kInvalid, path + ": unpacks to more than 1 GiB");
}

}  // namespace hotdesk
