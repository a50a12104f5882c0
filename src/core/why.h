// SPDX-License-Identifier: MIT
#pragma once
// Why a decision was made: one reason and the two numbers that decided it. core never logs; the
// log, `hotdesk why`, the HTTP error and the journal all print this one value.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"

namespace hotdesk {

enum class Reason : uint8_t {
    // fleet
    kDue,            // the schedule says now
    kAskedFor,       // somebody ran it by hand
    kCatchUp,        // due while the daemon was down; inside its grace
    kOverlap,        // the run before is not over             need=1 have=its run id
    kSuperseded,     // overlap = "latest": a newer firing took its place
    kPaused,         // the agent, or the fleet, is paused
    kDraining,       // the daemon is finishing
    kTooLate,        // due longer ago than its grace          need=grace ms have=late ms
    kCatchUpOff,     // due while down, and catch_up = "skip"
    kRunsFull,       // as many runs as allowed                need=1 have=runs_max
    kRunTimeout,     // ran longer than its timeout            need=timeout ms have=ran ms
    kKillGraceOver,  // did not end after being asked          need=grace ms have=waited ms
    kExited,         // the command ended by itself            have=exit code
    kNotStarted,     // the command could not be started; `who` says why
    // calls
    kTaskRoute,      // the task's first usable model
    kNamed,          // the client named the model or an alias
    kNoSuchModel,    // nothing has this name
    kModelUnusable,  // its file cannot be used; `who` says why
    kHeadOfLine,     // oldest waiting call of its model, and a slot is free
    kQueueFull,      // as many calls waiting as allowed       need=1 have=waiting_max
    kWaitOver,       // waited as long as it may               need=wait ms have=waited ms
    kCallMax,        // a running call took too long           need=call_max ms have=ran ms
    kAnswered,       // the client has its answer
    kClientGone,     // the client hung up
    kWorkerRefused,  // the worker could not do it; `who` says why
    kWorkerDied,     // its worker crashed; attempts used up   need=attempts have=attempts max
    kLoadFailed,     // the model did not load; `who` says why
    kLoadBackoff,    // it crashed while loading; next try in  need=ms have=0
    // desk
    kDemand,           // a call waits for this model            need=bytes have=bytes free
    kCannotFit,        // larger than the desk can ever be       need=bytes have=budget bytes
    kMakeRoom,         // idle, and another model needs its room need=bytes have=bytes free
    kGateAge,          // a call of another model waited W       need=gate_age ms have=waited ms
    kGateOpen,         // nobody of another model waits any more
    kLoadStuck,        // no end of the load in sight            need=limit ms have=ms
    kForeignPressure,  // memory is held by another program      need=bytes have=bytes free
    kIdle,             // unused for longer than `keep`          need=keep ms have=idle ms
    kEvictAsked,       // somebody ran `hotdesk evict`
    kStrangerWaits,    // another program's turn at the desk     need=gate_age ms have=waited ms
    kNoDemand,         // nobody needs the desk any more
    kPreload,          // its agents start soon                  need=lead ms have=wall time ms
    kReloaded,         // the config no longer has it, or changed it
    kDaemonEnded,      // the daemon ended, or was killed, while it ran
};

// `need` and `have` are in the unit that the reason's comment gives; `who` names the other party
// (a model, an agent, a run, a file) where there is one.
struct Why {
    Reason reason = Reason::kDue;
    int64_t need = 0;
    int64_t have = 0;
    std::string who;

    friend bool operator==(const Why&, const Why&) = default;
};

// The stable key: "foreign_pressure". In JSON, metrics labels and logs.
std::string_view to_string(Reason reason);

// The key read back; kDue for a word that is none (the caller checks `to_string` of it).
Reason reason_from(std::string_view key);

// A sentence for people: "needs 1.2 GiB, 310 MiB are free: other programs hold the rest".
std::string explain(const Why& why);

}  // namespace hotdesk
