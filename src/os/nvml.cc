// SPDX-License-Identifier: MIT
#include "os/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hotdesk {
namespace {

constexpr int kNvmlSuccess = 0;

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

// The name of the first function that the library lacks, or null.
const char* missing_function(void* library, NvmlApi& api) {
    if (!find(library, "nvmlInit_v2", api.init)) return "nvmlInit_v2";
    if (!find(library, "nvmlShutdown", api.shut_down)) return "nvmlShutdown";
    if (!find(library, "nvmlDeviceGetCount_v2", api.count)) return "nvmlDeviceGetCount_v2";
    if (!find(library, "nvmlDeviceGetHandleByIndex_v2", api.device))
        return "nvmlDeviceGetHandleByIndex_v2";
    if (!find(library, "nvmlDeviceGetName", api.name)) return "nvmlDeviceGetName";
    if (!find(library, "nvmlDeviceGetMemoryInfo", api.memory)) return "nvmlDeviceGetMemoryInfo";
    if (!find(library, "nvmlErrorString", api.error_text)) return "nvmlErrorString";
    return nullptr;
}

DeviceReading nvml_failure(const NvmlApi& api, std::string_view what, int status) {
    return failed_device(fmt::format("NVML {}: {}", what, api.error_text(status)));
}

// Requires: the library is initialised.
DeviceReading read_device(const NvmlApi& api, int index) {
    unsigned count = 0;
    if (const int status = api.count(&count); status != kNvmlSuccess)
        return nvml_failure(api, "cannot count devices", status);
    const auto wanted = static_cast<unsigned>(index);
    if (wanted >= count)
        return failed_device(fmt::format("NVML has no device {}: {} are there", index, count));
    NvmlDevice device = nullptr;
    if (const int status = api.device(wanted, &device); status != kNvmlSuccess)
        return nvml_failure(api, "cannot open the device", status);
    NvmlMemory memory;
    if (const int status = api.memory(device, &memory); status != kNvmlSuccess)
        return nvml_failure(api, "cannot read the memory", status);
    char name[96] = "NVIDIA device";  // NVML_DEVICE_NAME_V2_BUFFER_SIZE
    if (api.name(device, name, sizeof name) != kNvmlSuccess) name[0] = '\0';
    return known_device(name, {static_cast<int64_t>(memory.total)},
                        {static_cast<int64_t>(memory.free)});
}

}  // namespace

Result<std::unique_ptr<NvmlLibrary>> NvmlLibrary::load(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        return fail(Code::kUnavailable, fmt::format("no NVIDIA driver library: {}", dlerror()));
    std::unique_ptr<NvmlLibrary> library(new NvmlLibrary(handle));
    if (const char* missing = missing_function(handle, library->api_); missing != nullptr)
        return fail(Code::kUnavailable,
                    fmt::format("{} has no {}; the driver is too old", path, missing));
    return library;
}

NvmlLibrary::~NvmlLibrary() {
    dlclose(handle_);
}

NvmlSession::~NvmlSession() {
    if (is_started_) api_.shut_down();
}

DeviceReading NvmlSession::read(int index) {
    if (!is_started_) {
        if (const int status = api_.init(); status != kNvmlSuccess)
            return nvml_failure(api_, "does not start", status);
        is_started_ = true;
    }
    DeviceReading reading = read_device(api_, index);
    if (reading.status == DeviceReading::Status::kFailed) {
        api_.shut_down();
        is_started_ = false;
    }
    return reading;
}

}  // namespace hotdesk
