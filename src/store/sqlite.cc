// SPDX-License-Identifier: MIT
#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "base/text.h"
#include "base/units.h"

namespace hotdesk {
namespace {

Code code_of(int sqlite_code) {
    switch (sqlite_code & 0xff) {
        case SQLITE_FULL: return Code::kNoSpace;
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return Code::kBusy;
        case SQLITE_PERM:
        case SQLITE_READONLY:
        case SQLITE_AUTH:
        case SQLITE_CANTOPEN: return Code::kDenied;
        case SQLITE_CONSTRAINT: return Code::kInvalid;  // a second row of one id
        default: return Code::kInternal;                // I/O errors, corruption, and bugs of ours
    }
}

}  // namespace

Error describe(const SQLite::Exception& error, const std::string& path) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(path, ignored);
    const auto bytes = ignored ? std::uintmax_t{0} : size;
    const auto space = std::filesystem::space(std::filesystem::path(path).parent_path(), ignored);
    const auto free = ignored ? std::uintmax_t{0} : space.available;
    return {code_of(error.getErrorCode()),
            fmt::format("history {}: {} ({} bytes; {} free on its disk)", path, error.what(), bytes,
                        format_bytes(Bytes{static_cast<int64_t>(free)}))};
}

}  // namespace hotdesk
