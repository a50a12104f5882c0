// SPDX-License-Identifier: MIT
// The job of bench/lease_handover.py: appends "start end" in nanoseconds of CLOCK_MONOTONIC to a
// file.

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace {

long long now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

int main(int argc, char** argv) {
    const long long start = now_ns();
    if (argc != 2) return 64;
    const int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    char line[64];
    const int size = std::snprintf(line, sizeof line, "%lld %lld\n", start, now_ns());
    return write(file, line, static_cast<size_t>(size)) == size ? 0 : 1;
}
