// SPDX-License-Identifier: MIT
#pragma once
// Paths as people write them: "~/models/x.gguf", "$XDG_STATE_HOME/hotdesk", "%t/hotdesk.sock".

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"

namespace hotdesk {

// ~ is the home directory, %t the runtime directory; $HOME and the $XDG_... directories have the
// values that the XDG specification gives them when they are unset. Only the beginning is expanded.
// The runtime directory has no standard default: $XDG_STATE_HOME/hotdesk/run is taken.
// Returns: an absolute path; a relative one is taken from `directory`. "" stays "".
// Errors: kInvalid for another $NAME or ~user.
Result<std::string> expand_path(std::string_view path, std::string_view directory,
                                const Environment& environment);

}  // namespace hotdesk
