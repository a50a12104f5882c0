// SPDX-License-Identifier: MIT
#pragma once
// Reads a recorded day from a file.

#include <string>

#include "base/result.h"

namespace hotdesk {

// The whole text of a file, which may be gzipped. Errors: kNotFound or kInvalid with the path, when
// it cannot be read, is damaged, or unpacks to more than 1 GiB.
Result<std::string> read_trace_file(const std::string& path);

}  // namespace hotdesk
