// SPDX-License-Identifier: MIT
#include "os/ticket.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

Ticket full_ticket() {
    Ticket ticket;
    ticket.holder = {"boot-1", 4711, 99, 4026531836};
    ticket.nonce = "00ff";
    ticket.what = "nightly \"render\"\n";
    ticket.queued_at = Wall{1'700'000'000'123};
    ticket.wait_max = minutes(10);
    ticket.tenure = Tenure{Wall{1'700'000'000'456}, hours(2), Instant{7'200'789}, seconds(90)};
    ticket.session = JobSession{4712, 100};
    return ticket;
}

TEST(Ticket, ReadsBackWhatItWrote) {
    EXPECT_EQ(decode_ticket(encode(full_ticket())), full_ticket());
}

TEST(Ticket, ReadsBackAWaiterThatWaitsForEver) {
    Ticket ticket = full_ticket();
    ticket.wait_max = std::nullopt;
    ticket.tenure = std::nullopt;
    ticket.session = std::nullopt;
    EXPECT_EQ(decode_ticket(encode(ticket)), ticket);
}

TEST(Ticket, AHolderThatNamesNoGraceHasTheUsualOne) {
    std::string text = encode(full_ticket());
    const std::string grace = "\"hold_grace_ms\":90000,";
    ASSERT_NE(text.find(grace), std::string::npos);
    text.erase(text.find(grace), grace.size());
    EXPECT_EQ(decode_ticket(text)->tenure->grace, kHoldGrace);
}

TEST(Ticket, WritesTextThatIsNotUtf8) {
    Ticket ticket = full_ticket();
    ticket.what = "caf\xe9";
    EXPECT_EQ(decode_ticket(encode(ticket))->what, "caf\xef\xbf\xbd");
}

TEST(Ticket, RefusesHalfATicket) {
    const std::string text = encode(full_ticket());
    EXPECT_EQ(decode_ticket(text.substr(0, text.size() / 2)).error().code, Code::kInvalid);
    EXPECT_EQ(decode_ticket("{}").error().code, Code::kInvalid);
    EXPECT_EQ(decode_ticket("[]").error().code, Code::kInvalid);
    EXPECT_EQ(decode_ticket("").error().code, Code::kInvalid);
}

TEST(Ticket, NamesSortAsTheyWereDrawn) {
    EXPECT_LT(file_name({9}), file_name({10}));
    EXPECT_EQ(file_name({42}), "000000000042");
}

TEST(Ticket, OnlyTwelveDigitsAreATicketsName) {
    EXPECT_EQ(parse_file_name("000000000042"), TicketNumber{42});
    EXPECT_EQ(parse_file_name("1000000000000"), TicketNumber{1'000'000'000'000});  // the 13th digit
    for (const char* name : {"42", "00000000042", "000000000042.bell", "sequence", ".new", ""})
        EXPECT_FALSE(parse_file_name(name)) << name;
}

}  // namespace
}  // namespace hotdesk
