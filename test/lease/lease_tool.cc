// SPDX-License-Identifier: MIT
// `lease_tool run ...` is `hotdesk lease run ...`.

#include "cli/lease_command.h"

int main(int argc, char** argv) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    return hotdesk::lease_command(args);
}
