// SPDX-License-Identifier: MIT
#include "cli/measured_work.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "store/store.h"

namespace hotdesk {
namespace {

// A run of two calls: 1,000 tokens of which 400 are new and 100 decoded; 2 s later 50 more.
void add_run(uint64_t run, Wall at, std::vector<EndedCall>& calls) {
    EndedCall first{.id = {2 * run},
                    .run = {run},
                    .agent = {"mail"},
                    .model = {"m"},
                    .arrived = at,
                    .ended = at + seconds(5),
                    .prompt = {1000},
                    .cached = {600},
                    .completion = {100}};
    EndedCall second = first;
    second.id = {2 * run + 1};
    second.arrived = first.ended + seconds(2);
    second.ended = second.arrived + seconds(3);
    second.prompt = {1150};
    second.cached = {1100};
    second.completion = {40};
    calls.push_back(first);
    calls.push_back(second);
}

TEST(MeasuredWork, AnAgentsHabitIsTheMeanOfItsRuns) {
    std::vector<EndedCall> calls;
    for (uint64_t run = 1; run <= kRunsMeasuredMin; ++run)
        add_run(run, Wall{static_cast<int64_t>(run) * 60'000}, calls);
    sim::Habit expected{.calls_permille = 2000,
                        .first_prompt = {1000},
                        .first_fresh = {400},
                        .growth = {50},
                        .later_fresh = {50},
                        .completion = {70},
                        .gap = seconds(2)};
    auto habits = habits_of(calls);
    ASSERT_EQ(habits.size(), 1u);
    EXPECT_EQ(habits.at({"mail"}), expected);
}

TEST(MeasuredWork, FewRunsSayNothing) {
    std::vector<EndedCall> calls;
    for (uint64_t run = 1; run < kRunsMeasuredMin; ++run)
        add_run(run, Wall{static_cast<int64_t>(run) * 60'000}, calls);
    EXPECT_TRUE(habits_of(calls).empty());
}

// 1,000 tokens a second read, 30 ms for each one written.
std::vector<EndedCall> timed_calls(int64_t count) {
    std::vector<EndedCall> calls;
    for (int64_t i = 0; i < count; ++i) {
        EndedCall call{.model = {"m"}};
        call.prompt = {100 + i * 37 % 900};
        call.completion = {20 + i * 53 % 200};
        call.ran = {call.prompt.value + 30 * call.completion.value};
        calls.push_back(call);
    }
    return calls;
}

TEST(MeasuredWork, ASpeedIsFoundAgain) {
    auto speeds = speeds_of(timed_calls(kCallsMeasuredMin));
    ASSERT_EQ(speeds.size(), 1u);
    const sim::Speed& speed = speeds.at({"m"});
    EXPECT_NEAR(static_cast<double>(speed.prefill_per_second.value), 1000, 2);
    EXPECT_NEAR(static_cast<double>(speed.step_us + speed.step_each_us), 30'000, 60);
    EXPECT_GT(speed.step_us, speed.step_each_us);
}

TEST(MeasuredWork, NoSpeedFromFewCallsOrFromCallsAllAlike) {
    EXPECT_TRUE(speeds_of(timed_calls(kCallsMeasuredMin - 1)).empty());
    std::vector<EndedCall> alike(
        100, EndedCall{.model = {"m"}, .ran = {4000}, .prompt = {1000}, .completion = {100}});
    EXPECT_TRUE(speeds_of(alike).empty());
}

TEST(MeasuredWork, ALoadTakesFromItsBeginningToItsEnd) {
    auto change = [](int64_t at, ModelChange what) {
        return ModelRecord{.at = {at}, .model = {"m"}, .change = what};
    };
    using enum ModelChange;
    EXPECT_EQ(
        load_time_in({change(0, kLoading), change(8000, kLoaded), change(9000, kUnloaded),
                      change(10'000, kLoading), change(11'000, kFailed), change(12'000, kLoading),
                      change(19'000, kLoaded), change(20'000, kLoading), change(32'000, kLoaded)}),
        seconds(8));
    EXPECT_EQ(load_time_in({change(0, kLoading), change(1, kCrashed), change(2, kLoaded)}),
              std::nullopt);
}

// A folder that goes away with the test.
struct Folder {
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "hotdesk-work-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path;
};

TEST(MeasuredWork, IsReadFromTheHistoryAndSaysWhatThatLacks) {
    const Folder folder;
    auto opened = Store::open(folder.path + "/hotdesk.db", Wall{1});
    ASSERT_TRUE(opened);
    std::vector<EndedCall> calls;
    for (uint64_t run = 1; run <= 6; ++run)
        add_run(run, Wall{static_cast<int64_t>(run) * 60'000}, calls);
    for (EndedCall& call : calls) opened->store.note(call);
    opened->store.note(ModelRecord{.at = {0}, .model = {"m"}, .change = ModelChange::kLoading});
    opened->store.note(ModelRecord{.at = {7000},
                                   .model = {"m"},
                                   .change = ModelChange::kLoaded,
                                   .device = mib(900),
                                   .host = mib(10)});
    ASSERT_TRUE(opened->store.flush());

    Fleet fleet;
    fleet.agents[{"mail"}] = {.name = {"mail"}};
    fleet.agents[{"new"}] = {.name = {"new"}};
    fleet.models[{"m"}] = {.name = {"m"}};
    auto work = read_work(folder.path, fleet);
    ASSERT_TRUE(work) << work.error().message;
    EXPECT_EQ(work->habits, habits_of(calls));
    EXPECT_EQ(work->load_times.at({"m"}), seconds(7));
    EXPECT_EQ(work->needs.at({"m"}), (Footprint{mib(900), mib(10)}));
    EXPECT_EQ(work->measured,
              (std::vector<std::string>{"the calls of mail", "the load time of m (7.0 s)"}));
    EXPECT_EQ(work->assumed,
              (std::vector<std::string>{"the calls of new: the history has too little",
                                        "the speed of m: the history has too little"}));
}

TEST(MeasuredWork, WithoutAHistoryThereIsNone) {
    EXPECT_EQ(read_work("/nonexistent", {}).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace hotdesk
