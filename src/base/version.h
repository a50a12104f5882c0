// SPDX-License-Identifier: MIT
#pragma once
// Which Hotdesk this is. The number stands in CMakeLists.txt only.

#include <string_view>

namespace hotdesk {

std::string_view version();  // "0.1.0"

}  // namespace hotdesk
