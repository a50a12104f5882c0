// SPDX-License-Identifier: MIT
// For the test that check_purity.py can fail: a decision must not read a clock.
#include <chrono>

long now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
