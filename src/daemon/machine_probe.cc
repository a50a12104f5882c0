// SPDX-License-Identifier: MIT
#include "daemon/machine_probe.h"

#include <spdlog/spdlog.h>

#include "os/host_probe.h"

namespace hotdesk {
namespace {

// Shorter than the steps in which the scheduler waits for a driver to give memory back.
constexpr Millis kFreshFor{40};
// A driver that did not answer costs kDeviceAnswerMax each time; it is asked again after this.
constexpr Millis kAfterFailure = seconds(10);

}  // namespace

MachineProbe::MachineProbe(const DeviceSpec& device, const WallClock& wall)
    : wall_(wall), device_(make_device_probe(find_device(device, {}))) {}

Snapshot MachineProbe::look(Instant now) {
    last_.now = now;
    last_.wall = wall_.now();
    if (now < fresh_until_) return last_;
    fresh_until_ = now + kFreshFor;
    measure();
    return last_;
}

void MachineProbe::measure() {
    HostReading host = read_host();
    last_.host_total = host.total;
    last_.host_available = host.available;
    DeviceReading device = device_->read();
    bool known = device.status == DeviceReading::Status::kKnown;
    if (known) last_.device_total = device.total;  // a device that hangs has not shrunk
    last_.device_free = known ? std::optional(device.free) : std::nullopt;
    bool failed = device.status == DeviceReading::Status::kFailed;
    if (failed) fresh_until_ = last_.now + kAfterFailure;
    if (failed && last_status_ != device.status) spdlog::warn("device: {}", device.why);
    last_status_ = device.status;
}

}  // namespace hotdesk
