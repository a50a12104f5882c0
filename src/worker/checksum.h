// SPDX-License-Identifier: MIT
#pragma once
// A 64-bit checksum for files of our own making. It finds torn and bit-flipped files; it is no
// defence against somebody who means harm.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace hotdesk::worker {

inline constexpr uint64_t kChecksumStart = 0x9E3779B97F4A7C15;

// Eight bytes at a time with a multiply and a rotate: several GB/s, so that a parked context of
// 12 MB is not held up by it (a byte-wise FNV took longer than the copy itself).
inline uint64_t checksum(std::span<const std::byte> bytes, uint64_t state = kChecksumStart) {
    const auto mix = [&state](uint64_t word) {
        state = (state ^ word) * 0xD6E8FEB86659FD93;
        state ^= state >> 32;
    };
    size_t at = 0;
    for (; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        mix(word);
    }
    uint64_t tail = 0;
    if (at < bytes.size()) std::memcpy(&tail, bytes.data() + at, bytes.size() - at);
    mix(tail);
    mix(bytes.size());
    return state;
}

}  // namespace hotdesk::worker
