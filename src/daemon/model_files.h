// SPDX-License-Identifier: MIT
#pragma once
// Looks at the model files of a fleet before anything is loaded: reads each header and plans what
// the model will take. A file that cannot be used is named and the fleet goes on without it.

#include <string>

#include "core/gguf.h"
#include "core/spec.h"

namespace hotdesk {

// The header of a model, with the tensors of all its parts when it is split
// ("x-00001-of-00003.gguf"). Errors: kNotFound (file or part missing), kDenied, kInvalid (not a
// GGUF file, truncated, hostile), each with the path.
Result<ModelHeader> read_model_header(const std::string& path);

// Fills `need` of every model, or `unusable` with the reason.
void look_at_model_files(Fleet& fleet);

}  // namespace hotdesk
