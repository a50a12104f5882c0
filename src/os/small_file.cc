// SPDX-License-Identifier: MIT
#include "os/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/fd.h"

namespace hotdesk {

std::optional<std::string> read_small_file(const std::string& path) {
    constexpr size_t kBytesMax = 64 << 10;
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    std::string text(kBytesMax, '\0');
    size_t length = 0;
    while (length < kBytesMax) {
        const ssize_t n = read(file.get(), text.data() + length, kBytesMax - length);
        if (n < 0) return std::nullopt;
        if (n == 0) break;
        length += static_cast<size_t>(n);
    }
    text.resize(length);
    return text;
}

}  // namespace hotdesk
