// SPDX-License-Identifier: MIT
#include "loop/tally.h"

#include <gtest/gtest.h>

namespace hotdesk {
namespace {

TEST(Tally, PercentilesAreValuesThatOccurred) {
    Percentiles p = percentiles_of({40, 10, 30, 20});
    EXPECT_EQ(p.p50, 20);
    EXPECT_EQ(p.p95, 40);
    EXPECT_EQ(p.max, 40);
    EXPECT_EQ(percentiles_of({}).max, 0);
}

TEST(Tally, CountsModelsOnTheDeskFromLoadToGone) {
    Fleet fleet;
    for (const char* name : {"a", "b"}) fleet.models[ModelName{name}] = {.name = ModelName{name}};
    fleet.models[ModelName{"cpu"}] = {.name = ModelName{"cpu"}, .placement = Placement::kHost};
    Tally tally;
    tally.add(Configured{fleet, Wall{}});
    tally.add(Decision{LoadModel{ModelName{"a"}}, {}});
    tally.add(Decision{LoadModel{ModelName{"cpu"}}, {}});
    tally.add(Event{WorkerReady{ModelName{"a"}, {}}});
    tally.add(Event{WorkerGone{ModelName{"a"}, {}, false}});
    tally.add(Decision{LoadModel{ModelName{"b"}}, {}});
    EXPECT_EQ(tally.desk_resident_max(), 1);
    EXPECT_EQ(tally.loads(), 3);
    EXPECT_EQ(tally.loads_failed(), 0);

    tally.add(Decision{LoadModel{ModelName{"a"}}, {}});
    EXPECT_EQ(tally.desk_resident_max(), 2);
    tally.add(Event{WorkerGone{ModelName{"b"}, {Code::kNoSpace, "out of memory"}, false}});
    EXPECT_EQ(tally.loads_failed(), 1);
}

}  // namespace
}  // namespace hotdesk
