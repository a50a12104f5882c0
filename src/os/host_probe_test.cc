// SPDX-License-Identifier: MIT
#include "os/host_probe.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace hotdesk {
namespace {

class HostProbe : public testing::Test {
  protected:
    HostProbe() { std::filesystem::create_directories(proc_ + "/pressure"); }
    ~HostProbe() override { std::filesystem::remove_all(proc_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(proc_ + "/" + name) << text;
    }

    std::string proc_ = fmt::format("{}/host_probe_{}", testing::TempDir(), getpid());
};

TEST_F(HostProbe, ReadsMemorySwapAndPressure) {
    write(
        "meminfo",
        "MemTotal:       16301412 kB\nMemFree:          123456 kB\nMemAvailable:    8150706 kB\n"
        "SwapCached:            7 kB\nSwapTotal:       2097148 kB\nSwapFree:              0 kB\n");
    write("pressure/memory",
          "some avg10=1.50 avg60=0.10 avg300=0.00 total=123456789\n"
          "full avg10=0.00 avg60=0.00 avg300=0.00 total=42\n");
    EXPECT_EQ(read_host(proc_), (HostReading{.total = kib(16301412),
                                             .available = kib(8150706),
                                             .swap_total = kib(2097148),
                                             .swap_free = kib(0),
                                             .stalled_some_us = 123456789,
                                             .stalled_full_us = 42}));
}

TEST_F(HostProbe, LeavesOutWhatTheKernelDoesNotSay) {
    EXPECT_EQ(read_host(proc_), HostReading{});
    write("meminfo", "MemTotal: 100 kB\n");  // kernels before 3.14 have no MemAvailable
    write("pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
    EXPECT_EQ(read_host(proc_), (HostReading{.total = kib(100), .stalled_some_us = 5}));
}

TEST_F(HostProbe, TakesNoNumberFromATextThatIsCutOrOdd) {
    for (const std::string text :
         {"MemTotal:", "MemTotal:   ", "MemTotal: many kB", "MemTotal: -5 kB", "XMemTotal: 5 kB",
          "MemTotal: 99999999999999999999 kB"}) {
        write("meminfo", text);
        EXPECT_EQ(read_host(proc_), HostReading{}) << text;
    }
    write("pressure/memory", "some avg10=0.00\nfull total=\n");
    EXPECT_EQ(read_host(proc_).stalled_some_us, std::nullopt);
    EXPECT_EQ(read_host(proc_).stalled_full_us, std::nullopt);
}

TEST_F(HostProbe, KnowsThisMachine) {
    const HostReading here = read_host();
    ASSERT_TRUE(here.total && here.available);
    EXPECT_GT(*here.available, Bytes{0});
    EXPECT_LE(*here.available, *here.total);
}

}  // namespace
}  // namespace hotdesk
