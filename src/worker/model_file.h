// SPDX-License-Identifier: MIT
#pragma once
// Looks at a model file before the engine does, so that what is wrong with it is said in our
// words: missing, no permission, not GGUF, cut off, a part of a split model not there. The engine
// reads the tensors themselves; what it then refuses is reported with its own line.

#include <string>

#include "base/result.h"

namespace hotdesk::worker {

// Errors: kNotFound (no such file, or a part of a split model), kDenied, kInvalid (not GGUF,
// a version the engine does not read, counts that cannot be true for a file of this size).
Status check_model_file(const std::string& path);

// What a parked context belongs to: 16 hex digits over the file's size, its first MiB and 64
// samples spread over the rest. Reading all of a 5 GiB file for this would cost more than the load.
// Errors: kNotFound, kDenied, kInternal (read error).
Result<std::string> model_identity(const std::string& path);

}  // namespace hotdesk::worker
