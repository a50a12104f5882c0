// SPDX-License-Identifier: MIT
// `hotdesk`: the CLI and the daemon in one program. What it can do is in cli/commands.cc.

#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"

int main(int argc, char** argv) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    try {
        return hotdesk::run_command(args);
    } catch (const std::exception& error) {  // no memory, or a bug: a Result would have said more
        fmt::print(stderr, "hotdesk: internal error: {}\n", error.what());
        return hotdesk::to_int(hotdesk::ExitCode::kInternal);
    }
}
