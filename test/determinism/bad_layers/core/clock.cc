// SPDX-License-Identifier: MIT
// For the test that check_layers.py can fail: a decision must not see the operating system.
#include "os/clock.h"
