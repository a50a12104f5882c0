// SPDX-License-Identifier: MIT
#include "loop/record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/small_world.h"

namespace hotdesk {
namespace {

using Json = nlohmann::json;

Zone zone_called(const char* name) {
    return {.name = name, .base = hours(1), .changes = {{Wall{1'774'746'000'000}, hours(2)}}};
}

// Two agents in one zone, as a config gives it to them, and a third in another.
Fleet fleet_in_two_zones() {
    const Shared<Zone> berlin(zone_called("Europe/Berlin"));
    AgentSpec inbox = small_agent("inbox", "0 * * * *");
    AgentSpec report = small_agent("report", "0 7 * * *");
    AgentSpec far = small_agent("far", "every 5m");
    inbox.zone = report.zone = berlin;
    far.zone = zone_called("Europe/Lisbon");
    inbox.env["LANG"] = "C";
    return small_fleet({small_model("a", gib(4))}, {inbox, report, far});
}

std::string recorded(const Event& event) {
    const Event events[] = {event};
    return encode_cycle({{.now = {7}, .wall = {8}}, events, {}, {}});
}

Fleet read_back(const std::string& line) {
    return std::get<Configured>(decode_cycle(line)->events.at(0)).fleet;
}

TEST(Record, ReadsBackTheFleetThatItWrote) {
    const Fleet fleet = fleet_in_two_zones();
    EXPECT_EQ(read_back(recorded(Configured{fleet, {5}})), fleet);
}

TEST(Record, WritesAZoneOnceForAllAgentsThatShareIt) {
    const std::string line = recorded(Configured{fleet_in_two_zones(), {5}});
    const Json fleet = Json::parse(line)["events"][0]["fleet"];
    EXPECT_EQ(fleet["zones"].size(), 2u);
    const Fleet read = read_back(line);
    EXPECT_EQ(&*read.agents.at({"inbox"}).zone, &*read.agents.at({"report"}).zone);
}

TEST(Record, ReadsBackAStateWithWorkUnderWay) {
    SmallWorld world(fleet_in_two_zones());
    world.pass(hours(1));
    world.settle();
    world.happens(RunWanted{{"inbox"}, world.seen.wall, {9}});
    world.call(3, "a");
    world.settle();
    const std::string line = recorded(Checkpoint{world.state});
    EXPECT_EQ(std::get<Checkpoint>(decode_cycle(line)->events.at(0)).state, world.state);
}

TEST(Record, NamesTheZoneThatIsNotThere) {
    Json cycle = Json::parse(recorded(Configured{fleet_in_two_zones(), {5}}));
    cycle["events"][0]["fleet"]["zones"].erase(1);
    const auto read = decode_cycle(cycle.dump());
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("there is no zone 1"), std::string::npos)
        << read.error().message;
}

}  // namespace
}  // namespace hotdesk
