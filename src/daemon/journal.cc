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

Result<DiskJournal> DiskJournal::open(const std::string& directory, Wall now) {
    delete_old(directory);
    std::string path = fmt::format("{}/journal-{}.ndjson", directory, now.ms);
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file) return DiskJournal(std::move(path), std::move(file));
    Code code = errno == ENOSPC ? Code::kNoSpace : Code::kDenied;
    return fail(code, fmt::format("cannot open the journal {}: {}", path, strerror(errno)));
}

void DiskJournal::record(const Cycle& cycle) {
    if (!file_) return;
    std::string line = encode_cycle(cycle);
    auto written = ::write(file_.get(), line.data(), line.size());
    size_ += static_cast<int64_t>(line.size());
    if (written != static_cast<ssize_t>(line.size()))
        end(strerror(errno));
    else if (size_ >= kJournalBytesMax.value)
        end("it has reached " + format_bytes(kJournalBytesMax));
}

void DiskJournal::end(std::string_view why) {
    spdlog::warn("the journal {} ends here: {}; decisions go on unrecorded", path_, why);
    file_.reset();
}

}  // namespace hotdesk
