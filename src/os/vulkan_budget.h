// SPDX-License-Identifier: MIT
#pragma once
// The memory of a Vulkan device: how much there is, and with VK_EXT_memory_budget how much a
// process may still take. For cards whose driver has no better way to ask (Intel, old amdgpu).

#include <memory>
#include <string>

#include "base/result.h"
#include "os/device_probe.h"

namespace hotdesk {

// Owns: the Vulkan library and an instance, kept between readings.
// Thread: one. May hang in the driver.
class VulkanBudget {
  public:
    // Errors: kUnavailable when there is no library or no driver.
    static Result<std::unique_ptr<VulkanBudget>> open(const std::string& library);
    virtual ~VulkanBudget() = default;
    // Unknown when the driver does not say what is free; failed when there is no such device.
    virtual DeviceReading read(int index) = 0;
};

}  // namespace hotdesk
