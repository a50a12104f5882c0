// SPDX-License-Identifier: MIT
#pragma once
// HD_CHECK stops the process when an invariant is broken. It stays on in release builds.
// It is for bugs in Hotdesk only: expected failures (bad input, full disk) are a Result.

namespace hotdesk {

// Prints "file:line: broken invariant: expr" to stderr and aborts.
[[noreturn]] void check_failed(const char* expr, const char* file, int line);

}  // namespace hotdesk

#define HD_CHECK(expr) \
    ((expr) ? static_cast<void>(0) : ::hotdesk::check_failed(#expr, __FILE__, __LINE__))
