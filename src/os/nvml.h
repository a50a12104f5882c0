// SPDX-License-Identifier: MIT
#pragma once
// The little of NVIDIA's management library that the device probe needs, declared by hand: its
// header is in no Debian main package and the library is there only with the driver.

#include <memory>
#include <string>

#include "base/result.h"
#include "os/device_probe.h"

namespace hotdesk {

// As in nvml.h, whose C interface is stable since version 2 (2011).
struct NvmlMemory {
    unsigned long long total = 0, free = 0, used = 0;
};
using NvmlDevice = struct NvmlDeviceHandle*;

struct NvmlApi {
    int (*init)() = nullptr;                             // nvmlInit_v2
    int (*shut_down)() = nullptr;                        // nvmlShutdown
    int (*count)(unsigned*) = nullptr;                   // nvmlDeviceGetCount_v2
    int (*device)(unsigned, NvmlDevice*) = nullptr;      // nvmlDeviceGetHandleByIndex_v2
    int (*name)(NvmlDevice, char*, unsigned) = nullptr;  // nvmlDeviceGetName
    int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;    // nvmlDeviceGetMemoryInfo
    const char* (*error_text)(int) = nullptr;            // nvmlErrorString
};

// Owns: the library. Errors: kUnavailable names the library or the function that is missing.
class NvmlLibrary {
  public:
    static Result<std::unique_ptr<NvmlLibrary>> load(const std::string& path);
    ~NvmlLibrary();
    NvmlLibrary(const NvmlLibrary&) = delete;
    NvmlLibrary& operator=(const NvmlLibrary&) = delete;
    const NvmlApi& api() const { return api_; }

  private:
    explicit NvmlLibrary(void* handle) : handle_(handle) {}
    void* handle_;
    NvmlApi api_;
};

// Asks one device again and again. Stays initialised between readings (starting up can take seconds
// where no other program holds the driver open) and starts afresh after any failure.
// Thread: one. May hang in the driver.
class NvmlSession {
  public:
    explicit NvmlSession(const NvmlApi& api) : api_(api) {}
    ~NvmlSession();
    NvmlSession(const NvmlSession&) = delete;
    NvmlSession& operator=(const NvmlSession&) = delete;
    DeviceReading read(int index);

  private:
    NvmlApi api_;
    bool is_started_ = false;
};

}  // namespace hotdesk
