// SPDX-License-Identifier: MIT
#pragma once
// The checks of single texts that the schema names: is this an address, a schedule, a name?
// Errors: kInvalid; the message says what is wrong with the text and what is allowed.

#include <string>

#include "base/result.h"

namespace hotdesk {

// Letters, digits and . _ - : up to 64, not beginning with a mark. Names stand in paths, URLs and
// logs.
Status check_name(const std::string& text);

// What a client may send as `model`: a name that may also hold / (as in "org/model").
Status check_alias(const std::string& text);

// "unix:PATH", "127.0.0.1:8111", "[::1]:8111", "0.0.0.0:8111". Ports are 1 to 65535.
Status check_listen(const std::string& text);

// True for unix:, 127.x.x.x and ::1. Requires: check_listen accepts it.
bool is_loopback(const std::string& listen);

// "auto", "none", "nvml:0", "amdgpu:0", "vulkan:0", "emulated:PATH".
Status check_device(const std::string& text);

// A schedule of core/cron.h.
Status check_schedule(const std::string& text);

// A duration up to a year, or "auto".
Status check_auto_duration(const std::string& text);

// A duration, or "always".
Status check_keep(const std::string& text);

}  // namespace hotdesk
