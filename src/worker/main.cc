// SPDX-License-Identifier: MIT
// hotdesk-worker: hosts one loaded model, and is the only program that links llama.cpp. It dies
// with its model, so that the driver always gets the memory back, and with the daemon.

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "worker/options.h"
#include "worker/serve.h"

namespace {

// From here on the kernel ends this process with its parent, however that ends. False: the
// parent had ended before, so that the kernel has nothing to tell.
bool end_with_parent(int parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::getppid() == parent;
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = hotdesk::worker::parse_options({argv + 1, argv + argc});
    if (!options) {
        fmt::print(stderr, "hotdesk-worker: {}\n{}", options.error().message,
                   hotdesk::worker::kUsage);
        return 64;
    }
    if (options->wants_help) {
        fmt::print("{}", hotdesk::worker::kUsage);
        return 0;
    }
    if (options->parent != 0 && !end_with_parent(options->parent)) {
        fmt::print(stderr, "hotdesk-worker: parent {} is gone\n", options->parent);
        return 69;
    }
    return options->is_once ? hotdesk::worker::answer_once(*options)
                            : hotdesk::worker::serve(*options);
}
