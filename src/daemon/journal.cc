// SPDX-License-Identifier: MIT
#include "daemon/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text.h"
#include "loop/record.h"

namespace hotdesk {
namespace {

// How soon a new file is tried after the disk refused a line.
constexpr Millis kRetry = minutes(1);

// Deletes the oldest journals, so that with the new one there are kJournalFilesMax.
void delete_old(const std::string& directory) {
    std::vector<std::filesystem::path> files;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ec))
        if (entry.path().filename().string().starts_with("journal-")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (size_t i = 0; i + kJournalFilesMax <= files.size(); ++i)
        std::filesystem::remove(files[i], ec);
}

}  // namespace

Result<DiskJournal> DiskJournal::open(const std::string& directory, Wall now, Bytes limit) {
    delete_old(directory);
    std::string path = fmt::format("{}/journal-{}.ndjson", directory, now.ms);
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file) return DiskJournal(directory, std::move(path), std::move(file), limit);
    Code code = errno == ENOSPC ? Code::kNoSpace : Code::kDenied;
    return fail(code, fmt::format("cannot open the journal {}: {}", path, strerror(errno)));
}

void DiskJournal::record(const Cycle& cycle) {
    if (!file_) return;
    std::string line = encode_cycle(cycle);
    auto written = ::write(file_.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) {
        size_.value += written;
        return;
    }
    spdlog::error("the journal {} ends here: {}; tried again in {}", path_,
                  strerror(written < 0 ? errno : ENOSPC), format_duration(kRetry));
    (void)!::ftruncate(file_.get(), size_.value);  // half a line is no cycle; if it stays, so be it
    file_.reset();
    retry_at_ = cycle.seen.now + kRetry;
}

void DiskJournal::settled(const State& state, const Snapshot& seen) {
    bool is_full = file_ && size_ >= limit_;
    bool is_due = !file_ && seen.now >= retry_at_;
    if (!is_full && !is_due) return;
    retry_at_ = seen.now + kRetry;
    auto next = open(directory_, seen.wall, limit_);
    if (!next) return spdlog::error("{}", next.error().message);
    *this = std::move(*next);
    const Event events[] = {Checkpoint{state}};
    record({seen, events, {}, {}});
}

}  // namespace hotdesk
