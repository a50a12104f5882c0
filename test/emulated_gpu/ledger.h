// SPDX-License-Identifier: MIT
#pragma once
// The writing side of the emulated GPU's memory: takes and gives back device bytes in the file that
// all processes share (os/emulated_ledger.h), never beyond its total.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "os/emulated_ledger.h"
#include "os/fd.h"

namespace hotdesk::emulated {

// What a process says of the device when it opens it; what it leaves out stays as the file has it.
struct DeviceSize {
    std::optional<Bytes> total;
    std::optional<Bytes> reserved;
};

// Owns: the descriptor and the mapping. Its bytes are given back when the process ends, however.
// Thread: safe; a mutex orders the threads of one process, flock the processes.
class Ledger {
  public:
    // Makes the file when there is none. An empty path is a ledger of this process alone.
    // Errors: kInvalid when the file is something else or the size is missing or not positive;
    // kDenied from the file system.
    static Result<std::unique_ptr<Ledger>> open(const std::string& path, const DeviceSize& size);

    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    // Adds to this process's bytes, or counts a failure and changes nothing else.
    bool take(Bytes bytes);
    void give_back(Bytes bytes);
    EmulatedReading read() const { return reading_of(*file_); }
    void reset_peak();

  private:
    Ledger(Fd fd, EmulatedLedgerFile* file) : fd_(std::move(fd)), file_(file) {}
    Status set_size(const DeviceSize& size, const std::string& path);
    EmulatedLedgerFile::Owner* own_row();
    void drop_the_dead();

    std::mutex mutex_;  // flock is per descriptor: it does not order threads that share one
    Fd fd_;
    EmulatedLedgerFile* file_;
};

}  // namespace hotdesk::emulated
