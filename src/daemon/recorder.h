// SPDX-License-Identifier: MIT
#pragma once
// The daemon's journal port: every cycle goes to the journal file, what became of the models to the
// history, and each decision to whoever listens at /hotdesk/v1/events.

#include "daemon/gateway.h"
#include "daemon/journal.h"
#include "os/clock.h"
#include "store/store.h"

namespace hotdesk {

// Thread: the loop's.
class Recorder : public Journal {
  public:
    Recorder(DiskJournal journal, Store& store, Gateway& gateway)
        : journal_(std::move(journal)), store_(store), gateway_(gateway) {}

    void record(const Cycle& cycle) override;
    void settled(const State& state, const Snapshot& seen) override {
        journal_.settled(state, seen);
    }

  private:
    DiskJournal journal_;
    Store& store_;
    Gateway& gateway_;
};

// What an event says about a model, for the history; nothing for other events.
std::optional<ModelRecord> model_change(const Event& event, Wall at);

}  // namespace hotdesk
