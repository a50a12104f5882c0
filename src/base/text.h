// SPDX-License-Identifier: MIT
#pragma once
// Reads and writes the quantities people type: "6GiB", "8m", "1h30m". The same words in the
// config, on the command line and in messages.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

// "512MiB", "6GiB", "1.5GB", "4096" (bytes). Decimal (kB, MB, GB) and binary (KiB, MiB, GiB) units.
// Errors: kInvalid names the text and the units that are known; negative or over 2^62 is invalid.
Result<Bytes> parse_bytes(std::string_view text);

// "250ms", "30s", "8m", "2h", "1d", "1h30m"; "0" is zero. A bare number is refused: it has no unit.
Result<Millis> parse_duration(std::string_view text);

// "5.4 GiB", "80 MiB", "512 B": one decimal below ten of a unit, none above.
std::string format_bytes(Bytes bytes);

// "1:31" style is for progress bars; this is the short form: "250 ms", "4.2 s", "8 min 20 s", "2 h
// 5 min".
std::string format_duration(Millis duration);

// The candidate nearest to `word` (edit distance at most 2, at most a third of its length), or "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hotdesk
