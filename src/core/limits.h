// SPDX-License-Identifier: MIT
#pragma once
// Every bound on a queue, a wait and a retry that is not a key of the config, with its reason.

#include "base/units.h"

namespace hotdesk {

// A loop that sleeps longer would not notice that the wall clock was set.
inline constexpr Millis kSleepMax = seconds(10);

// A wall clock that is set back by more than this was wrong before, and what it had seen as due
// counts for nothing: else a machine that began in the wrong year would run no agent for years.
// After less, nothing is run twice. cron(8) draws its line here, too.
inline constexpr Millis kSetBackMax = hours(3);

// A call whose worker died before it sent anything is tried once more; twice is a pattern.
inline constexpr int kCallAttemptsMax = 2;

// A model that crashed while loading is tried again at once, then after 5, 10, 20 ... 60 s:
// the first crash may have been anybody's, a repeated one is the model's.
inline constexpr Millis kLoadBackoffFirst = seconds(5);
inline constexpr Millis kLoadBackoffMax = seconds(60);

// Three failed loads in a row with too little memory: the plan or a neighbour is wrong, and the
// waiting calls are told instead of being kept.
inline constexpr int kLoadFailuresMax = 3;

// Answers that the running mean of a call's time looks back on.
inline constexpr int kAnswersMax = 32;

// An estimate of a wait needs this many answers of the model.
inline constexpr int kAnswersMin = 5;

// The least wait after which the gate closes; the longest that an idle model is kept for a run that
// is in a tool call, and for calls that may still come; what a load counts that was never measured.
inline constexpr Millis kGateAgeMin = seconds(60);
inline constexpr Millis kLingerMax = seconds(20);
inline constexpr Millis kHoldMax = seconds(15);
inline constexpr Millis kLoadUnknown = seconds(5);

// A model that is loaded ahead is ready this long before its agents start.
inline constexpr Millis kPreloadSpare{500};

// Starts this close to each other count as one when a model is chosen for them, and so many are
// looked at.
inline constexpr Millis kStartsTogether = seconds(5);
inline constexpr int kStartsLookedAt = 256;

// No model is loaded ahead in the place of one whose agents start this soon after.
inline constexpr Millis kNeededAgain = seconds(30);

// 70 GB from a slow disk (150 MB/s) is loaded in 8 minutes; beyond that the load is stuck.
inline constexpr Millis kLoadMax = minutes(15);

// Firings counted one by one when a daemon comes back: a minute schedule for ten weeks.
inline constexpr int kMissedFiringsMax = 100'000;

// Firings of one agent that overlap = "queue" keeps: more than a day of hourly ones means the
// agent can never catch up.
inline constexpr int kHeldFiringsMax = 24;

// Events that wait for the loop. 1,000 clients that arrive and hang up at once are 4,000; beyond
// this the loop has stopped, and new work is refused.
inline constexpr int kEventsMax = 65'536;

// Overdue firings that have to wait for room or for their turn to catch up: so many are looked at
// in one decision, the oldest first. The rest are younger and wait behind them, and ten thousand
// agents with one desk cost no more than fifty.
inline constexpr int kUndecidedMax = 16;
inline constexpr int kUndecidedFull = 2;  // when there is no room for any run

// Events folded in one turn, so that a flood of calls cannot keep the loop from deciding.
inline constexpr int kEventsPerCycle = 256;

// Rounds of decide-and-apply in one turn; a policy that wants more has a cycle in it.
inline constexpr int kRoundsMax = 16;

// Drivers give memory back late (1.5 s seen); after this the ledger is believed and not the probe.
inline constexpr Millis kProbeLagMax = seconds(3);

// Overdue runs after a start of the daemon begin this far apart: 45 of them took a machine down.
inline constexpr Millis kCatchUpSpacing = Millis{500};

// How often the probe is asked meanwhile.
inline constexpr Millis kProbeAgain{50};

}  // namespace hotdesk
