// SPDX-License-Identifier: MIT
#include "sim/machine.h"

#include <algorithm>

namespace hotdesk::sim {

bool Machine::take(Footprint need) {
    if (used_.device + foreign_ + need.device > hardware_.device_total) return false;
    if (used_.host + need.host > hardware_.host_total) return false;
    used_.device += need.device;
    used_.host += need.host;
    used_max_.device = std::max(used_max_.device, used_.device);
    used_max_.host = std::max(used_max_.host, used_.host);
    return true;
}

void Machine::give_back(Footprint held) {
    used_.device -= held.device;
    used_.host -= held.host;
    if (!stage_.faults.has(Fault::kProbeLag)) return;
    lagging_ += held.device;
    stage_.time.after(Millis{1500}, [this, held] { lagging_ -= held.device; });
}

void Machine::set_foreign(Bytes device) {
    foreign_ = std::min(device, hardware_.device_total - used_.device);
}

Snapshot Machine::look() const {
    Snapshot seen{.now = stage_.time.now(), .wall = stage_.time.wall()};
    seen.host_total = hardware_.host_total;
    seen.host_available = hardware_.host_total - used_.host;
    if (blind_) return seen;
    seen.device_total = hardware_.device_total;
    seen.device_free =
        std::max(hardware_.device_total - used_.device - foreign_ - lagging_, Bytes{});
    return seen;
}

}  // namespace hotdesk::sim
