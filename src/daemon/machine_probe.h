// SPDX-License-Identifier: MIT
#pragma once
// The daemon's eyes: RAM and the device, measured when the loop looks and no more often than every
// kFreshFor, since a busy loop looks hundreds of times a second.

#include <memory>

#include "loop/ports.h"
#include "os/clock.h"
#include "os/device_probe.h"

namespace hotdesk {

// Thread: the loop's.
class MachineProbe : public Probe {
  public:
    MachineProbe(const DeviceSpec& device, const WallClock& wall);

    Snapshot look(Instant now) override;

  private:
    void measure();

    const WallClock& wall_;
    std::unique_ptr<DeviceProbe> device_;
    DeviceReading::Status last_status_ = DeviceReading::Status::kUnknown;
    Snapshot last_;
    Instant fresh_until_;
};

}  // namespace hotdesk
