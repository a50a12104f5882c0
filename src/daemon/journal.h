// SPDX-License-Identifier: MIT
#pragma once
// The journal on disk, a line for each cycle, so that `hotdesk replay FILE` can decide again what
// was decided. Each start of the daemon begins a file; a full one is followed by another that
// begins with a checkpoint, so every file can be replayed alone. Old files are deleted.

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
    static Result<DiskJournal> open(const std::string& directory, Wall now,
                                    Bytes limit = kJournalBytesMax);

    // Not fsynced: a crash of the daemon keeps it, a power cut may take the last lines. When the
    // disk refuses a line the log says so, and settled() tries a new file.
    void record(const Cycle& cycle) override;
    void settled(const State& state, const Snapshot& seen) override;

    const std::string& path() const { return path_; }

  private:
    DiskJournal(std::string directory, std::string path, Fd file, Bytes limit)
        : directory_(std::move(directory)),
          path_(std::move(path)),
          file_(std::move(file)),
          limit_(limit) {}

    std::string directory_, path_;
    Fd file_;  // closed when the disk has refused a line
    Bytes limit_;
    Bytes size_;
    Instant retry_at_;
};

}  // namespace hotdesk
