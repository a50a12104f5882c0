// SPDX-License-Identifier: MIT
#pragma once
// How much memory a device has and how much of it is free, all processes counted. One probe for
// each way of asking: NVIDIA's library, amdgpu's files, Vulkan's budget, the emulated GPU's ledger.
// A probe never guesses: what it cannot learn is unknown, what broke has failed, and it says why.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace hotdesk {

struct DeviceReading {
    enum class Status : uint8_t {
        kKnown,    // total and free are true now
        kUnknown,  // nobody was asked: no device is configured or found
        kFailed,   // the device did not answer; `why` says what happened
    };
    Status status = Status::kUnknown;
    Bytes total;
    Bytes free;
    std::string name;  // as the driver calls it
    std::string why;   // empty when known

    friend bool operator==(const DeviceReading&, const DeviceReading&) = default;
};

DeviceReading known_device(std::string name, Bytes total, Bytes free);
DeviceReading unknown_device(std::string why);
DeviceReading failed_device(std::string why);

enum class DeviceKind : uint8_t { kAuto, kNvml, kAmdgpu, kVulkan, kEmulated, kNone };

// As in the config: "auto", "nvml:0", "amdgpu:card0", "vulkan:0", "emulated:/path", "none".
struct DeviceSpec {
    DeviceKind kind = DeviceKind::kAuto;
    int index = 0;     // of nvml and vulkan; N of amdgpu's cardN
    std::string path;  // of the emulated ledger

    friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

// Errors: kInvalid names the text and the forms that are known.
Result<DeviceSpec> parse_device_spec(std::string_view text);
std::string to_string(const DeviceSpec& spec);

// Where a probe looks; tests look elsewhere.
struct DeviceRoots {
    std::string sys = "/sys";
    std::string dev = "/dev";
    std::string nvml = "libnvidia-ml.so.1";
    std::string vulkan = "libvulkan.so.1";
};

// Thread: each from one thread. read() returns within kDeviceAnswerMax even when a driver hangs.
class DeviceProbe {
  public:
    virtual ~DeviceProbe() = default;
    virtual DeviceReading read() = 0;
};

// A driver that takes longer is reported as failed; the loop does not wait for it.
constexpr Millis kDeviceAnswerMax{100};

// "auto" resolved to what this machine has: NVIDIA first, then amdgpu, then Vulkan, else none. Any
// other spec comes back as it is. Looks at files only, asks no driver.
DeviceSpec find_device(const DeviceSpec& wanted, const DeviceRoots& roots);

std::unique_ptr<DeviceProbe> make_device_probe(const DeviceSpec& spec,
                                               const DeviceRoots& roots = {});

}  // namespace hotdesk
