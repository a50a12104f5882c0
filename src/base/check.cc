// SPDX-License-Identifier: MIT
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace hotdesk {

void check_failed(const char* expr, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, expr);
    std::abort();
}

}  // namespace hotdesk
