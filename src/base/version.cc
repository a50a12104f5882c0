// SPDX-License-Identifier: MIT
#include "base/version.h"

namespace hotdesk {

std::string_view version() {
    return HOTDESK_VERSION;
}

}  // namespace hotdesk
