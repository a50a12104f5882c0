// SPDX-License-Identifier: MIT
#pragma once
// Reads the short texts in which the kernel reports about itself (/proc, /sys). Absent is an answer
// here and not an error: kernels, containers and drivers differ in what they show.

#include <optional>
#include <string>

namespace hotdesk {

// The file's content up to 64 KiB, or nothing when it cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

}  // namespace hotdesk
