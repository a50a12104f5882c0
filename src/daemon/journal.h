// SPDX-License-Identifier: MIT
#pragma once
// The journal on disk: one file for each start of the daemon, a line for each cycle, so that
// `hotdesk replay FILE` can decide again what was decided. Old files are deleted.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "loop/ports.h"
#include "os/fd.h"

namespace hotdesk {

// A busy day of fifty agents (6,000 calls, five cycles each) is about 30 MB.
inline constexpr Bytes kJournalBytesMax = mib(64);
inline constexpr int kJournalFilesMax = 4;

// Thread: the loop's.
class DiskJournal : public Journal {
  public:
    // Opens "<directory>/journal-<wall>.ndjson". Errors: kDenied, kNoSpace.
    static Result<DiskJournal> open(const std::string& directory, Wall now);

    // Not fsynced: a crash of the daemon keeps it, a power cut may take the last lines. When the
    // disk is full or the bound is reached the file ends with a line that says so; deciding goes
    // on.
    void record(const Cycle& cycle) override;

    const std::string& path() const { return path_; }

  private:
    DiskJournal(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}
    void end(std::string_view why);

    std::string path_;
    Fd file_;  // closed when it has ended
    int64_t size_ = 0;
};

}  // namespace hotdesk
