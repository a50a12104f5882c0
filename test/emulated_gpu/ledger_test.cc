// SPDX-License-Identifier: MIT
#include "ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace hotdesk::emulated {
namespace {

using testing::HasSubstr;

class LedgerTest : public testing::Test {
  protected:
    ~LedgerTest() override { std::filesystem::remove(path_); }

    std::unique_ptr<Ledger> open(const DeviceSize& size) const {
        auto ledger = Ledger::open(path_, size);
        EXPECT_TRUE(ledger) << ledger.error().message;
        return ledger ? std::move(*ledger) : nullptr;
    }
    std::string error_of(const DeviceSize& size) const {
        const auto ledger = Ledger::open(path_, size);
        return ledger ? "no error" : ledger.error().message;
    }

    std::string path_ = fmt::format("{}/ledger_{}", testing::TempDir(), getpid());
};

TEST_F(LedgerTest, GivesUpToTheLastByteAndNotOneMore) {
    const auto ledger = open({.total = Bytes{1000}});
    EXPECT_TRUE(ledger->take({999}));
    EXPECT_FALSE(ledger->take({2}));
    EXPECT_TRUE(ledger->take({1}));
    EXPECT_FALSE(ledger->take({1}));
    EXPECT_EQ(ledger->read(), (EmulatedReading{.total = {1000},
                                               .used = {1000},
                                               .peak = {1000},
                                               .failed_allocations = 2,
                                               .owners = {{getpid(), {1000}}}}));
}

TEST_F(LedgerTest, TakesWhatIsGivenBackAndRemembersThePeak) {
    const auto ledger = open({.total = Bytes{1000}});
    EXPECT_TRUE(ledger->take({700}));
    ledger->give_back({700});
    EXPECT_EQ(ledger->read(), (EmulatedReading{.total = {1000}, .peak = {700}}));
    EXPECT_TRUE(ledger->take({300}));
    ledger->reset_peak();
    EXPECT_EQ(ledger->read().peak, Bytes{300});
}

TEST_F(LedgerTest, HoldsBackWhatIsReserved) {
    const auto ledger = open({.total = Bytes{1000}, .reserved = Bytes{400}});
    EXPECT_EQ(ledger->read().free(), Bytes{600});
    EXPECT_FALSE(ledger->take({601}));
    EXPECT_TRUE(ledger->take({600}));
    // The stranger grows over us: nothing is free, and nothing is negative.
    const auto other = open({.reserved = Bytes{900}});
    EXPECT_EQ(ledger->read().free(), Bytes{0});
}

TEST_F(LedgerTest, SeesTheBytesOfOtherProcessesAndForgetsTheDead) {
    const auto ledger = open({.total = Bytes{1000}});
    int held[2], done[2];
    ASSERT_EQ(pipe(held) + pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte = 'x';
        const auto own = Ledger::open(path_, {});
        const bool took = own && (*own)->take({800});
        if (write(held[1], &byte, took ? 1 : 0) != 1) _exit(1);
        _exit(read(done[0], &byte, 1) == 1 ? 0 : 1);
    }
    char byte = 0;
    ASSERT_EQ(read(held[0], &byte, 1), 1);
    EXPECT_EQ(ledger->read().owners, (std::vector<EmulatedOwner>{{child, {800}}}));
    EXPECT_FALSE(ledger->take({201}));
    ASSERT_EQ(write(done[1], &byte, 1), 1);
    siginfo_t info;
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(ledger->take({1000}));  // the child is a zombie: dead, not yet reaped
    waitpid(child, nullptr, 0);
}

TEST_F(LedgerTest, KeepsItsSizeForThoseWhoDoNotSay) {
    EXPECT_THAT(error_of({}), HasSubstr("has no size yet: set HOTDESK_EMULATED_BYTES"));
    open({.total = Bytes{1000}});
    EXPECT_EQ(open({})->read().total, Bytes{1000});
    EXPECT_EQ(open({.total = Bytes{2000}})->read().total, Bytes{2000});
}

TEST_F(LedgerTest, LeavesAFileAloneThatIsSomethingElse) {
    std::ofstream(path_) << "notes";
    EXPECT_THAT(error_of({.total = Bytes{1000}}), HasSubstr("not the ledger of an emulated GPU"));
    EXPECT_EQ(std::filesystem::file_size(path_), 5U);
    const auto read = read_emulated_ledger(path_);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kInvalid);
}

TEST_F(LedgerTest, WorksWithoutAFile) {
    const auto ledger = Ledger::open("", {.total = Bytes{10}});
    ASSERT_TRUE(ledger);
    EXPECT_TRUE((*ledger)->take({10}));
    EXPECT_FALSE((*ledger)->take({1}));
}

}  // namespace
}  // namespace hotdesk::emulated
