// SPDX-License-Identifier: MIT
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/limits.h"
#include "store/history.h"
#include "store/sqlite.h"

namespace hotdesk {
namespace {

using testing::HasSubstr;

constexpr Wall kNoon{1'796'126'400'000};  // 2026-12-01T12:00:00Z

// A folder that goes away with the test.
struct Folder {
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "hotdesk-store-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file() const { return path + "/hotdesk.db"; }
    std::string path;
};

Store open_store(const Folder& folder) {
    auto opened = Store::open(folder.file(), kNoon);
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(opened->store);
}

History open_history(const Folder& folder) {
    auto history = History::open(folder.file());
    if (!history) throw std::runtime_error(history.error().message);
    return std::move(*history);
}

RunBegun begun(uint64_t id, const char* agent, Wall due, Trigger trigger = Trigger::kSchedule) {
    return {.id = {id},
            .agent = {agent},
            .trigger = trigger,
            .due = due,
            .started = due + seconds(2),
            .marker = "m",
            .log_path = "/logs/r.log",
            .why = {}};
}

RunFinished finished(uint64_t id, Wall ended) {
    return {.id = {id},
            .ended = ended,
            .outcome = Outcome::kFailed,
            .exit_code = 3,
            .ran = Millis{700},
            .waited = Millis{40},
            .why = {Reason::kExited, 0, 3, ""}};
}

EndedCall call(uint64_t id, uint64_t run) {
    return {.id = {id},
            .run = {run},
            .agent = {"inbox"},
            .model = {"small"},
            .arrived = kNoon,
            .ended = kNoon + seconds(1),
            .waited = Millis{250},
            .ran = Millis{750},
            .prompt = {100},
            .cached = {60},
            .completion = {20},
            .outcome = CallOutcome::kDone,
            .why = {Reason::kAnswered, 0, 0, ""}};
}

ReasonRecord load_reason(Wall at, const char* model) {
    return reason_record(at, {LoadModel{{model}}, {Reason::kDemand, 5, 7, ""}});
}

TEST(Store, ARunIsOnRecordBeforeItsProcessStarts) {
    const Folder folder;
    Store store = open_store(folder);
    ASSERT_TRUE(store.begin_run(begun(1, "inbox", kNoon)));
    // No flush and no close: what a second connection sees is what survives kill -9.
    const auto run = open_history(folder).run({1});
    ASSERT_TRUE(run && *run);
    const RunRecord expected{.id = {1},
                             .agent = {"inbox"},
                             .first_due = kNoon,
                             .due = kNoon,
                             .started = kNoon + seconds(2),
                             .ended = {},
                             .outcome = {},
                             .why = {},
                             .marker = "m",
                             .log_path = "/logs/r.log",
                             .process = {}};
    EXPECT_EQ(**run, expected);
}

TEST(Store, AFinishedRunIsReadBackWhole) {
    const Folder folder;
    Store store = open_store(folder);
    const RunProcess process{
        .pid = 77, .start_ticks = 1ULL << 40, .boot_id = "b", .pid_namespace = 9, .session = 77};
    ASSERT_TRUE(store.begin_run(begun(4, "inbox", kNoon, Trigger::kCatchUp)));
    ASSERT_TRUE(store.run_started({4}, process));
    store.note(call(10, 4));
    store.note(call(11, 4));
    ASSERT_TRUE(store.flush());
    ASSERT_TRUE(store.end_run(finished(4, kNoon + minutes(1))));
    const RunRecord expected{.id = {4},
                             .agent = {"inbox"},
                             .trigger = Trigger::kCatchUp,
                             .first_due = kNoon,
                             .due = kNoon,
                             .started = kNoon + seconds(2),
                             .ended = kNoon + minutes(1),
                             .outcome = Outcome::kFailed,
                             .exit_code = 3,
                             .ran = Millis{700},
                             .waited = Millis{40},
                             .why = {Reason::kExited, 0, 3, ""},
                             .marker = "m",
                             .log_path = "/logs/r.log",
                             .process = process,
                             .calls = 2,
                             .prompt = {200},
                             .cached = {120},
                             .completion = {40}};
    EXPECT_EQ(**open_history(folder).run({4}), expected);
}

TEST(Store, TellsTheNextDaemonWhereToGoOn) {
    const Folder folder;
    {
        Store store = open_store(folder);
        ASSERT_TRUE(store.begin_run(begun(1, "inbox", kNoon)));
        ASSERT_TRUE(store.end_run(finished(1, kNoon + minutes(1))));
        ASSERT_TRUE(store.begin_run(begun(2, "inbox", kNoon + minutes(15))));
        ASSERT_TRUE(store.begin_run(begun(3, "inbox", kNoon + minutes(20), Trigger::kManual)));
        ASSERT_TRUE(store.skip_firings(
            {kNoon, {{"report"}, kNoon - hours(2), kNoon, 3, Outcome::kMissed}, {}}));
        store.note(call(41, 1));
    }
    const auto found = open_store(folder).recover();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->last_due,
              (std::map<AgentName, Wall>{{{"inbox"}, kNoon + minutes(15)}, {{"report"}, kNoon}}));
    EXPECT_EQ(found->next_run, RunId{4});
    EXPECT_EQ(found->next_call, CallId{42});
    ASSERT_EQ(found->unfinished.size(), 2u);
    EXPECT_EQ(found->unfinished[0].id, RunId{2});
    EXPECT_EQ(found->unfinished[1].id, RunId{3});
}

TEST(Store, AnEmptyHistoryBeginsWithOne) {
    const Folder folder;
    const auto found = open_store(folder).recover();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->next_run, RunId{1});
    EXPECT_EQ(found->next_call, CallId{1});
    EXPECT_TRUE(found->unfinished.empty());
}

TEST(Store, NeverGivesAnIdTwiceEvenWhenTheRowsAreForgotten) {
    const Folder folder;
    Store store = open_store(folder);
    ASSERT_TRUE(store.begin_run(begun(9, "inbox", kNoon)));
    ASSERT_TRUE(store.end_run(finished(9, kNoon + seconds(5))));
    ASSERT_TRUE(store.forget_before(kNoon + hours(1)));
    EXPECT_TRUE(open_history(folder).runs({})->empty());
    const auto found = store.recover();
    EXPECT_EQ(found->next_run, RunId{10});
    EXPECT_EQ(found->last_due.at({"inbox"}), kNoon);
}

TEST(Store, ForgetsWhatEndedBeforeAndNothingElse) {
    const Folder folder;
    Store store = open_store(folder);
    for (uint64_t id : {1, 2, 3}) ASSERT_TRUE(store.begin_run(begun(id, "inbox", kNoon)));
    ASSERT_TRUE(store.end_run(finished(1, kNoon + Millis{999})));
    ASSERT_TRUE(store.end_run(finished(2, kNoon + Millis{1000})));
    ASSERT_TRUE(store.forget_before(kNoon + Millis{1000}));
    History history = open_history(folder);
    EXPECT_FALSE(*history.run({1}));
    EXPECT_TRUE(*history.run({2}));
    EXPECT_TRUE(*history.run({3}));  // unfinished
}

TEST(Store, RefusesToBeginARunTwice) {
    const Folder folder;
    Store store = open_store(folder);
    ASSERT_TRUE(store.begin_run(begun(1, "inbox", kNoon)));
    const Status again = store.begin_run(begun(1, "inbox", kNoon + hours(1)));
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr(folder.file()));
    EXPECT_EQ(store.recover()->last_due.at({"inbox"}), kNoon);  // all or nothing
    EXPECT_TRUE(store.begin_run(begun(2, "inbox", kNoon + hours(1))));
}

TEST(Store, NotesWaitForFlush) {
    const Folder folder;
    Store store = open_store(folder);
    store.note(load_reason(kNoon, "big"));
    History history = open_history(folder);
    EXPECT_TRUE(history.reasons(ModelName{"big"}, 10)->empty());
    ASSERT_TRUE(store.flush());
    EXPECT_EQ(*history.reasons(ModelName{"big"}, 10), std::vector{load_reason(kNoon, "big")});
}

TEST(Store, DropsTheOldestNotesBeyondItsBoundAndCountsThem) {
    const Folder folder;
    Store store = open_store(folder);
    for (size_t i = 0; i < kNotesMax; ++i) store.note(load_reason(kNoon, "big"));
    EXPECT_EQ(store.notes_dropped(), 0);
    store.note(load_reason(kNoon, "big"));
    EXPECT_EQ(store.notes_dropped(), 1);
}

TEST(Store, SetsADamagedFileAsideAndBeginsANewOne) {
    const Folder folder;
    std::ofstream(folder.file()) << std::string(8192, 'x');
    auto opened = Store::open(folder.file(), kNoon);
    ASSERT_TRUE(opened) << opened.error().message;
    const std::string aside = folder.file() + ".corrupt-20261201T120000Z";
    EXPECT_THAT(opened->notice, HasSubstr(aside));
    EXPECT_EQ(std::filesystem::file_size(aside), 8192u);
    EXPECT_TRUE(opened->store.begin_run(begun(1, "inbox", kNoon)));
}

TEST(Store, FindsDamageInTheMiddleOfAFile) {
    const Folder folder;
    {
        Store store = open_store(folder);
        for (int i = 0; i < 2000; ++i) store.note(load_reason(kNoon, "big"));
        ASSERT_TRUE(store.flush());
    }
    std::fstream file(folder.file(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(12 * 4096);
    file << std::string(20 * 4096, '\x55');
    file.close();
    auto opened = Store::open(folder.file(), kNoon);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_THAT(opened->notice, HasSubstr(".corrupt-20261201T120000Z"));
}

TEST(Store, NeverOverwritesAnEarlierDamagedFile) {
    const Folder folder;
    const std::string aside = folder.file() + ".corrupt-20261201T120000Z";
    std::ofstream(aside) << "first";
    std::ofstream(folder.file()) << std::string(4096, 'x');
    ASSERT_TRUE(Store::open(folder.file(), kNoon));
    EXPECT_EQ(std::filesystem::file_size(aside), 5u);
    EXPECT_EQ(std::filesystem::file_size(aside + ".2"), 4096u);
}

TEST(Store, RefusesAFileOfANewerHotdesk) {
    const Folder folder;
    {
        SQLite::Database(folder.file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
            .exec("PRAGMA user_version = 99");
    }
    const auto opened = Store::open(folder.file(), kNoon);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kInvalid);
    EXPECT_THAT(opened.error().message, HasSubstr("layout 99"));
}

TEST(Store, SaysWhichFileAndWhatIsFreeWhenTheDiskIsFull) {
    const Folder folder;
    Store store = open_store(folder);
    SQLite::Database other(folder.file(), SQLite::OPEN_READWRITE);
    // A page limit answers SQLITE_FULL as a full disk does; it holds for one connection, so the
    // error text is tested on that one.
    other.exec("PRAGMA max_page_count = 1");
    const Status full = guarded(folder.file(), [&]() -> Status {
        other.exec("CREATE TABLE t (x); INSERT INTO t SELECT randomblob(1000000)");
        return {};
    });
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, Code::kNoSpace);
    EXPECT_THAT(full.error().message, HasSubstr(folder.file()));
    EXPECT_THAT(full.error().message, HasSubstr("free on its disk"));
    EXPECT_TRUE(store.begin_run(begun(1, "inbox", kNoon)));
}

TEST(Store, KeepsWhatIsRefusedAndWritesItWhenThatIsOver) {
    const Folder folder;
    Store store = open_store(folder);
    SQLite::Database other(folder.file(), SQLite::OPEN_READWRITE);
    other.exec("ALTER TABLE runs RENAME TO away");
    EXPECT_FALSE(store.begin_run(begun(1, "inbox", kNoon)));
    other.exec("ALTER TABLE away RENAME TO runs");
    // Nothing is tried until the next flush, so that the order stays.
    EXPECT_FALSE(store.run_started({1}, {.pid = 77, .boot_id = "b"}));
    EXPECT_FALSE(store.end_run(finished(1, kNoon + minutes(1))));
    EXPECT_FALSE(store.skip_firings({kNoon, {{"report"}, kNoon, kNoon + hours(1), 2}, {}}));
    EXPECT_TRUE(store.has_notes());
    ASSERT_TRUE(store.flush());
    EXPECT_FALSE(store.has_notes());
    const auto run = open_history(folder).run({1});
    ASSERT_TRUE(run && *run);
    EXPECT_EQ((*run)->process.pid, 77);
    EXPECT_EQ((*run)->outcome, Outcome::kFailed);
    EXPECT_EQ(store.recover()->last_due.at({"inbox"}), kNoon);
    EXPECT_EQ(store.recover()->last_due.at({"report"}), kNoon + hours(1));
    EXPECT_TRUE(store.begin_run(begun(2, "inbox", kNoon + hours(1))));
}

TEST(Store, RemembersTheLatestFiringUnlessTheClockWasWrong) {
    const Folder folder;
    Store store = open_store(folder);
    const auto after = [&](uint64_t run, Wall due) {
        EXPECT_TRUE(store.begin_run(begun(run, "inbox", due)));
        return store.recover()->last_due.at({"inbox"});
    };
    EXPECT_EQ(after(1, kNoon), kNoon);
    EXPECT_EQ(after(2, kNoon - kSetBackMax), kNoon);
    const Wall corrected = kNoon - kSetBackMax - Millis{1};
    EXPECT_EQ(after(3, corrected), corrected);
}

TEST(Store, AFolderThatDoesNotExistIsDenied) {
    const auto opened = Store::open("/nonexistent/hotdesk.db", kNoon);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kDenied);
}

TEST(History, ListsRunsAndSkippedFiringsNewestFirst) {
    const Folder folder;
    Store store = open_store(folder);
    ASSERT_TRUE(store.begin_run(begun(1, "inbox", kNoon)));
    ASSERT_TRUE(store.skip_firings(
        {kNoon + minutes(15),
         {{"inbox"}, kNoon + minutes(15), kNoon + minutes(15), 1, Outcome::kSkipped},
         {Reason::kOverlap, 1, 1, ""}}));
    ASSERT_TRUE(store.begin_run(begun(2, "report", kNoon + minutes(30))));
    History history = open_history(folder);
    const auto all = history.runs({});
    ASSERT_TRUE(all) << all.error().message;
    ASSERT_EQ(all->size(), 3u);
    EXPECT_EQ((*all)[0].id, RunId{2});
    EXPECT_EQ((*all)[1].outcome, Outcome::kSkipped);
    EXPECT_EQ((*all)[1].why, (Why{Reason::kOverlap, 1, 1, ""}));
    EXPECT_EQ((*all)[2].id, RunId{1});
    EXPECT_EQ(history.runs({.agent = {"inbox"}, .since = {}, .limit = 50})->size(), 2u);
    EXPECT_EQ(history.runs({.agent = {}, .since = {}, .limit = 1})->size(), 1u);
    EXPECT_EQ(
        history.runs({.agent = {}, .since = kNoon + minutes(30) + seconds(2), .limit = 50})->size(),
        1u);
    EXPECT_EQ(history.runs({.agent = {}, .since = kNoon + minutes(30) + Millis{2001}, .limit = 50})
                  ->size(),
              0u);
}

TEST(History, TheReasonsOfARunIncludeThoseOfItsCalls) {
    const Folder folder;
    Store store = open_store(folder);
    const auto started =
        reason_record(kNoon, {StartRun{{7}, {"inbox"}, kNoon, Trigger::kSchedule}, {}});
    const auto routed = reason_record(
        kNoon + seconds(1), {RouteCall{{20}, {"big"}}, {Reason::kTaskRoute, 0, 0, "task:write"}});
    const auto other = reason_record(kNoon + seconds(2), {RouteCall{{21}, {"big"}}, {}});
    for (const auto& reason : {started, routed, other}) store.note(reason);
    store.note(call(20, 7));
    ASSERT_TRUE(store.flush());
    History history = open_history(folder);
    EXPECT_EQ(*history.reasons(RunId{7}, 10), (std::vector{started, routed}));
    EXPECT_EQ(*history.reasons(RunId{7}, 1), std::vector{routed});  // the newest
    EXPECT_EQ(*history.reasons(CallId{21}, 10), std::vector{other});
    EXPECT_EQ(*history.reasons(AgentName{"inbox"}, 10), std::vector{started});
    EXPECT_EQ(history.reasons(ModelName{"big"}, 10)->size(), 2u);
    EXPECT_TRUE(history.reasons(RunId{0}, 10)->empty());
}

TEST(History, ReadsCallsAndModelChangesBack) {
    const Folder folder;
    Store store = open_store(folder);
    const ModelRecord crash{.at = kNoon,
                            .model = {"big"},
                            .change = ModelChange::kCrashed,
                            .device = {1},
                            .host = {2},
                            .error = "signal 9"};
    store.note(call(5, 0));
    store.note(crash);
    ASSERT_TRUE(store.flush());
    History history = open_history(folder);
    EXPECT_EQ(**history.call({5}), call(5, 0));
    EXPECT_FALSE(*history.call({6}));
    EXPECT_EQ(*history.model_changes({"big"}, 5), std::vector{crash});
}

TEST(History, ListsTheNewestAnsweredCallsOfRunsOldestFirst) {
    const Folder folder;
    Store store = open_store(folder);
    EndedCall refused = call(4, 7);
    refused.outcome = CallOutcome::kRefused;
    for (const EndedCall& one : {call(1, 7), call(2, 0), call(3, 7), refused, call(5, 8)})
        store.note(one);
    ASSERT_TRUE(store.flush());
    History history = open_history(folder);
    EXPECT_EQ(*history.answered_calls(2), (std::vector{call(3, 7), call(5, 8)}));
    EXPECT_EQ(history.answered_calls(10)->size(), 3u) << "not the refused one, nor that of no run";
}

TEST(History, KnowsTheLastEndedRunOfEachAgent) {
    const Folder folder;
    Store store = open_store(folder);
    for (uint64_t id : {1, 2, 3}) ASSERT_TRUE(store.begin_run(begun(id, "inbox", kNoon)));
    ASSERT_TRUE(store.begin_run(begun(4, "report", kNoon)));
    for (uint64_t id : {1, 2}) ASSERT_TRUE(store.end_run(finished(id, kNoon + minutes(1))));
    History history = open_history(folder);
    const auto last = history.last_ended_runs();
    ASSERT_TRUE(last);
    ASSERT_EQ(last->size(), 1u);
    EXPECT_EQ(last->at({"inbox"}).id, RunId{2});
    EXPECT_EQ((*history.last_run({"inbox"}))->id, RunId{3});
}

TEST(History, SaysThatThereIsNoneYet) {
    const Folder folder;
    const auto history = History::open(folder.file());
    ASSERT_FALSE(history);
    EXPECT_EQ(history.error().code, Code::kNotFound);
}

TEST(Records, ADecisionIsRememberedWithItsSubjects) {
    const CloseCall closed{.call = {3},
                           .run = {2},
                           .agent = {"a"},
                           .model = {"m"},
                           .waited = {},
                           .prompt = {},
                           .cached = {},
                           .completion = {}};
    const ReasonRecord expected{.at = kNoon,
                                .action = "close_call",
                                .run = {2},
                                .call = {3},
                                .agent = {"a"},
                                .model = {"m"},
                                .why = {}};
    EXPECT_EQ(reason_record(kNoon, {closed, {}}), expected);
}

}  // namespace
}  // namespace hotdesk
