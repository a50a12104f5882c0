// SPDX-License-Identifier: MIT
#pragma once
// The demo's daemon: `hotdesk up` as a child, followed through its journal.

#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/client.h"
#include "cli/demo_fleet.h"
#include "cli/journal_follower.h"
#include "os/child.h"
#include "os/run_log.h"

namespace hotdesk::demo {

class DemoDaemon {
  public:
    // Writes the config, starts the daemon and waits until it answers. `time_lapse`: how much
    // faster schedules run; 1 means no schedules at all. Errors: kUnavailable with the daemon's
    // last words.
    static Result<std::unique_ptr<DemoDaemon>> start(const Places& places, int time_lapse);
    ~DemoDaemon() { kill_leftovers(trace_of_run(child_.who, kMarker, true)); }

    const Client& client() const { return client_; }
    // Reads what is new in the journal. Errors: kUnavailable when the daemon has ended.
    Status follow();
    const State& state() const { return follower_->state(); }
    const Snapshot& seen() const { return follower_->seen(); }
    const Tally& tally() const { return follower_->tally(); }
    // SIGTERM, and waits for the end.
    Status stop();
    // Lets what runs finish; the daemon then ends by itself.
    Status drain();
    bool has_ended() const { return hotdesk::has_ended(child_.pidfd); }

  private:
    static constexpr const char* kMarker = "demo:daemon";

    DemoDaemon(const Places& places, Child child, RunLog log)
        : places_(places),
          child_(std::move(child)),
          log_(std::move(log)),
          client_(places.socket()) {}
    Status await_answer();
    tl::unexpected<Error> died() const;

    Places places_;
    Child child_;
    RunLog log_;
    Client client_;
    std::unique_ptr<JournalFollower> follower_;
    bool is_draining_ = false;
};

// The environment in which workers find the emulated device whose memory is in `ledger`.
std::map<std::string, std::string> device_env(const std::string& ledger);

// Runs a short command to its end. Errors: kInternal with its exit code.
Status run_to_end(const std::vector<std::string>& command, RunLog& log);

// Sleeps a little between two looks; reads nothing.
void pause_a_moment();

}  // namespace hotdesk::demo
