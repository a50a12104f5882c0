// SPDX-License-Identifier: MIT
// The few structures and functions of Vulkan 1.1 that this needs are declared here, so that
// building needs no Vulkan headers and running needs no Vulkan. Layouts and numbers are those of
// vulkan_core.h.
#include "os/vulkan_budget.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace hotdesk {
namespace {

constexpr int kSuccess = 0;
constexpr uint32_t kVersion11 = (1U << 22) | (1U << 12);
constexpr uint32_t kHeapIsDeviceLocal = 1;
constexpr const char* kBudgetExtension = "VK_EXT_memory_budget";

struct ApplicationInfo {
    uint32_t type = 0;
    const void* next = nullptr;
    const char* application = "hotdesk";
    uint32_t application_version = 0;
    const char* engine = nullptr;
    uint32_t engine_version = 0;
    uint32_t api_version = kVersion11;
};
struct InstanceCreateInfo {
    uint32_t type = 1;
    const void* next = nullptr;
    uint32_t flags = 0;
    const ApplicationInfo* application = nullptr;
    uint32_t layer_count = 0;
    const char* const* layers = nullptr;
    uint32_t extension_count = 0;
    const char* const* extensions = nullptr;
};
struct MemoryType {
    uint32_t flags, heap;
};
struct MemoryHeap {
    uint64_t size;
    uint32_t flags;
};
struct MemoryProperties {
    uint32_t type_count;
    MemoryType types[32];
    uint32_t heap_count;
    MemoryHeap heaps[16];
};
struct MemoryBudget {
    uint32_t type = 1000237000;
    void* next = nullptr;
    uint64_t budget[16] = {};
    uint64_t usage[16] = {};
};
struct MemoryProperties2 {
    uint32_t type = 1000059006;
    void* next = nullptr;
    MemoryProperties memory = {};
};
struct alignas(8) DeviceProperties {
    uint32_t api_version, driver_version, vendor, device, kind;
    char name[256];
    char rest[1024];  // identifiers and limits, 548 bytes in Vulkan 1.1
};
struct ExtensionProperties {
    char name[256];
    uint32_t version;
};
static_assert(sizeof(MemoryProperties) == 520 && sizeof(ExtensionProperties) == 260);

using Instance = struct InstanceHandle*;
using Device = struct PhysicalDeviceHandle*;
using AnyFunction = void (*)();

struct Api {
    AnyFunction (*get)(Instance, const char*) = nullptr;
    int (*create)(const InstanceCreateInfo*, const void*, Instance*) = nullptr;
    void (*destroy)(Instance, const void*) = nullptr;
    int (*devices)(Instance, uint32_t*, Device*) = nullptr;
    void (*properties)(Device, DeviceProperties*) = nullptr;
    void (*memory)(Device, MemoryProperties2*) = nullptr;
    int (*extensions)(Device, const char*, uint32_t*, ExtensionProperties*) = nullptr;
};

template <class Function>
bool find(const Api& api, Instance instance, const char* name, Function& function) {
    function = reinterpret_cast<Function>(api.get(instance, name));
    return function != nullptr;
}

// Owns: the library and the instance.
class OpenVulkan : public VulkanBudget {
  public:
    explicit OpenVulkan(void* library) : library_(library) {}
    ~OpenVulkan() override {
        if (instance_ != nullptr) api_.destroy(instance_, nullptr);
        dlclose(library_);
    }
    Status start();
    DeviceReading read(int index) override;

  private:
    bool has_budget(Device device) const;

    void* library_;
    Api api_;
    Instance instance_ = nullptr;
};

Status OpenVulkan::start() {
    api_.get = reinterpret_cast<decltype(api_.get)>(dlsym(library_, "vkGetInstanceProcAddr"));
    if (api_.get == nullptr || !find(api_, nullptr, "vkCreateInstance", api_.create))
        return fail(Code::kUnavailable, "the Vulkan library has no vkCreateInstance");
    const ApplicationInfo application;
    InstanceCreateInfo info;
    info.application = &application;
    if (const int status = api_.create(&info, nullptr, &instance_); status != kSuccess) {
        instance_ = nullptr;
        return fail(Code::kUnavailable, fmt::format("Vulkan does not start (error {}): is a driver "
                                                    "installed?",
                                                    status));
    }
    const bool is_complete =
        find(api_, instance_, "vkDestroyInstance", api_.destroy) &&
        find(api_, instance_, "vkEnumeratePhysicalDevices", api_.devices) &&
        find(api_, instance_, "vkGetPhysicalDeviceProperties", api_.properties) &&
        find(api_, instance_, "vkGetPhysicalDeviceMemoryProperties2", api_.memory) &&
        find(api_, instance_, "vkEnumerateDeviceExtensionProperties", api_.extensions);
    if (!is_complete) return fail(Code::kUnavailable, "the Vulkan library is older than 1.1");
    return {};
}

bool OpenVulkan::has_budget(Device device) const {
    uint32_t count = 0;
    if (api_.extensions(device, nullptr, &count, nullptr) != kSuccess) return false;
    std::vector<ExtensionProperties> extensions(count);
    if (api_.extensions(device, nullptr, &count, extensions.data()) != kSuccess) return false;
    return std::any_of(extensions.begin(), extensions.end(),
                       [](const ExtensionProperties& extension) {
                           return std::strcmp(extension.name, kBudgetExtension) == 0;
                       });
}

DeviceReading OpenVulkan::read(int index) {
    uint32_t count = 0;
    if (api_.devices(instance_, &count, nullptr) != kSuccess)
        return failed_device("Vulkan cannot count its devices");
    if (index < 0 || static_cast<uint32_t>(index) >= count)
        return failed_device(fmt::format("Vulkan has no device {}: {} are there", index, count));
    std::vector<Device> devices(count);
    if (api_.devices(instance_, &count, devices.data()) != kSuccess)
        return failed_device("Vulkan cannot list its devices");
    Device device = devices[static_cast<size_t>(index)];
    DeviceProperties properties = {};
    api_.properties(device, &properties);
    if (!has_budget(device))
        return unknown_device(
            fmt::format("{}: its Vulkan driver has no {}, so it does not say what is "
                        "free",
                        properties.name, kBudgetExtension));
    MemoryBudget budget;
    MemoryProperties2 memory;
    memory.next = &budget;
    api_.memory(device, &memory);
    uint64_t total = 0, free = 0;
    for (uint32_t i = 0; i < std::min(memory.memory.heap_count, 16U); ++i) {
        if ((memory.memory.heaps[i].flags & kHeapIsDeviceLocal) == 0) continue;
        total += memory.memory.heaps[i].size;
        free += budget.budget[i] - std::min(budget.budget[i], budget.usage[i]);
    }
    return known_device(properties.name, {static_cast<int64_t>(total)},
                        {static_cast<int64_t>(std::min(free, total))});
}

}  // namespace

Result<std::unique_ptr<VulkanBudget>> VulkanBudget::open(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        return fail(Code::kUnavailable, fmt::format("no Vulkan library: {}", dlerror()));
    auto vulkan = std::make_unique<OpenVulkan>(handle);
    HD_TRY_VOID(vulkan->start());
    return std::unique_ptr<VulkanBudget>(std::move(vulkan));
}

}  // namespace hotdesk
