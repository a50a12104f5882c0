// SPDX-License-Identifier: MIT
#include "daemon/recovery.h"

#include <spdlog/spdlog.h>

#include "os/child.h"

namespace hotdesk {
namespace {

// SIGKILL works at once on anything that is not stuck in the kernel.
constexpr Millis kEndMax = seconds(10);

ProcessIdentity identity_of(const RunProcess& process) {
    return {.boot_id = process.boot_id,
            .pid = static_cast<pid_t>(process.pid),
            .start_ticks = process.start_ticks,
            .pid_namespace = process.pid_namespace};
}

Status close_interrupted(Store& store, const RunRecord& run, Wall now) {
    HD_TRY_VOID(end_leftovers(trace_of_run(identity_of(run.process), run.marker, false), kEndMax));
    spdlog::warn("run={} agent={} outcome=interrupted why=daemon_ended", run.id.value,
                 run.agent.value);
    return store.end_run({.id = run.id,
                          .ended = now,
                          .outcome = Outcome::kInterrupted,
                          .why = {.reason = Reason::kDaemonEnded}});
}

}  // namespace

Result<Recovery> recover(Store& store, Wall now) {
    HD_TRY(Recovery recovery, store.recover());
    for (const RunRecord& run : recovery.unfinished)
        HD_TRY_VOID(close_interrupted(store, run, now));
    return recovery;
}

}  // namespace hotdesk
