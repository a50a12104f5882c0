// SPDX-License-Identifier: MIT
#pragma once
// Asks a driver on a thread of its own. A driver call can hang in the kernel for minutes when its
// device is lost, and a thread in there cannot be stopped: then only the answer is missing.

#include <functional>
#include <memory>
#include <string>

#include "os/device_probe.h"

namespace hotdesk {

class PatientProbe : public DeviceProbe {
  public:
    struct Options {
        std::string name;                    // for "NVML has not answered within 100 ms"
        std::function<DeviceReading()> ask;  // runs on the thread; may hang; owns what it needs
        Millis patience = kDeviceAnswerMax;
    };
    explicit PatientProbe(Options options);
    ~PatientProbe() override;
    PatientProbe(const PatientProbe&) = delete;
    PatientProbe& operator=(const PatientProbe&) = delete;

    // Failed when there is no answer in time; the late answer is then the next reading's.
    DeviceReading read() override;

  private:
    struct Shared;
    std::string name_;
    Millis patience_;
    std::shared_ptr<Shared> shared_;  // shared with the thread, which outlives us when it hangs
};

}  // namespace hotdesk
