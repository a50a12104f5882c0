// SPDX-License-Identifier: MIT
#pragma once
// A parked context as a file: the tokens, and the engine's KV state of them. The engine checks
// neither whose state it reads nor whether it is whole (37 of 150 corrupted ones were taken), so
// the header names the model and carries a checksum.
//   "HDPARK1\n"  8 bytes
//   header       sizes, checksum over everything behind it
//   identity     EngineFacts::identity
//   tokens       4 bytes each
//   state        the engine's bytes

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "worker/request.h"

namespace hotdesk::worker {

struct ParkedContext {
    std::string identity;
    std::vector<Token> tokens;
    std::vector<std::byte> state;
};

// Writes beside the path and renames, so that a crash leaves the old file or none. Not synced: a
// file torn by a power cut fails its checksum, and its owner computes the context anew.
// Returns the size. Errors: kNoSpace (disk full; nothing is left behind), kDenied, kInternal.
Result<Bytes> write_parked(const std::string& path, const ParkedContext& parked);

// Errors: kNotFound, kInvalid (not such a file, cut off, checksum, another model: says which).
Result<ParkedContext> read_parked(const std::string& path, const std::string& identity);

}  // namespace hotdesk::worker
