// SPDX-License-Identifier: MIT
#pragma once
// The memory of the emulated GPU (test/emulated_gpu): one small file, mapped by every process that
// has bytes on the device. It is what a driver's memory accounting is to a real one. The device
// probe reads it here; only the emulated backend and its tool write it.

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

constexpr size_t kEmulatedOwnersMax = 128;  // processes with device memory at one time
constexpr std::array<char, 8> kEmulatedMagic{'H', 'D', 'E', 'M', 'U', '0', '0', '1'};

// The file, byte for byte. Each number is written in one store, and the sum of the owners is never
// kept: a writer killed at any instant leaves a ledger that is still true.
struct EmulatedLedgerFile {
    struct Owner {
        int64_t pid = 0;  // 0: a free row
        uint64_t start_ticks = 0;
        uint64_t bytes = 0;
    };
    std::array<char, 8> magic = kEmulatedMagic;
    uint64_t total = 0;
    uint64_t reserved = 0;  // taken by "somebody else": a desktop, a game
    uint64_t peak = 0;      // most bytes the owners ever had together
    uint64_t failed_allocations = 0;
    std::array<Owner, kEmulatedOwnersMax> owners{};
};

struct EmulatedOwner {
    pid_t pid = 0;
    Bytes bytes;
    friend bool operator==(const EmulatedOwner&, const EmulatedOwner&) = default;
};

// A reading of the ledger; dead owners are left out, as a driver gives their memory back.
struct EmulatedReading {
    Bytes total;
    Bytes reserved;
    Bytes used;  // by the owners, without `reserved`
    Bytes peak;
    int64_t failed_allocations = 0;
    std::vector<EmulatedOwner> owners;  // by pid

    Bytes free() const;
    friend bool operator==(const EmulatedReading&, const EmulatedReading&) = default;
};

// Whether the process of a row still lives: a zombie has no memory any more.
bool is_living(const EmulatedLedgerFile::Owner& owner);

EmulatedReading reading_of(const EmulatedLedgerFile& file);

// Takes no lock, so that a stopped writer cannot hold up a probe.
// Errors: kNotFound when there is no such file, kInvalid when it is something else.
Result<EmulatedReading> read_emulated_ledger(const std::string& path);

}  // namespace hotdesk
