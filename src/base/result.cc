// SPDX-License-Identifier: MIT
#include "base/result.h"

namespace hotdesk {

std::string_view to_string(Code code) {
    switch (code) {
        case Code::kInvalid: return "invalid";
        case Code::kNotFound: return "not_found";
        case Code::kBusy: return "busy";
        case Code::kTimeout: return "timeout";
        case Code::kDenied: return "denied";
        case Code::kNoSpace: return "no_space";
        case Code::kUnavailable: return "unavailable";
        case Code::kInternal: return "internal";
    }
    return "internal";
}

}  // namespace hotdesk
