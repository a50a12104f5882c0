// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk demo`: fifty agents as real processes on a desk of 96 MiB with the models of its own
// making. First all of them at once, then a day in half a minute, then the same fifty without
// Hotdesk. The device is emulated and it says so; everything else is the product.

#include <span>
#include <string>

namespace hotdesk {

// `args` is what follows "demo": --json, --keep. Returns the exit code; 1 when a run failed.
int demo_command(std::span<const std::string> args);

}  // namespace hotdesk
