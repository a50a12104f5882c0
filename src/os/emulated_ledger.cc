// SPDX-License-Identifier: MIT
#include "os/emulated_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/fd.h"
#include "os/process_identity.h"

namespace hotdesk {

Bytes EmulatedReading::free() const {
    return std::max(Bytes{0}, total - reserved - used);
}

bool is_living(const EmulatedLedgerFile::Owner& owner) {
    if (owner.pid <= 0) return false;
    const auto stat = process_stat(static_cast<pid_t>(owner.pid));
    return stat && !stat->has_ended() && stat->start_ticks == owner.start_ticks;
}

EmulatedReading reading_of(const EmulatedLedgerFile& file) {
    EmulatedReading reading;
    reading.total = {static_cast<int64_t>(file.total)};
    reading.reserved = {static_cast<int64_t>(file.reserved)};
    reading.peak = {static_cast<int64_t>(file.peak)};
    reading.failed_allocations = static_cast<int64_t>(file.failed_allocations);
    for (const EmulatedLedgerFile::Owner& owner : file.owners) {
        if (owner.bytes == 0 || !is_living(owner)) continue;
        const Bytes bytes{static_cast<int64_t>(owner.bytes)};
        reading.used += bytes;
        reading.owners.push_back({static_cast<pid_t>(owner.pid), bytes});
    }
    std::sort(reading.owners.begin(), reading.owners.end(),
              [](const EmulatedOwner& a, const EmulatedOwner& b) { return a.pid < b.pid; });
    return reading;
}

Result<EmulatedReading> read_emulated_ledger(const std::string& path) {
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file)
        return fail(errno == ENOENT ? Code::kNotFound : Code::kDenied,
                    fmt::format("{}: {}", path, std::strerror(errno)));
    EmulatedLedgerFile content;
    const ssize_t n = pread(file.get(), &content, sizeof content, 0);
    if (n != static_cast<ssize_t>(sizeof content) || content.magic != kEmulatedMagic)
        return fail(Code::kInvalid, fmt::format("{}: not the ledger of an emulated GPU", path));
    return reading_of(content);
}

}  // namespace hotdesk
