// SPDX-License-Identifier: MIT
#include "os/device_probe.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "os/emulated_ledger.h"
#include "os/nvml.h"
#include "os/patient_probe.h"

namespace hotdesk {
namespace {

using testing::HasSubstr;
using Status = DeviceReading::Status;

TEST(DeviceSpec, IsReadAndWrittenTheSame) {
    for (const std::string text : {"auto", "none", "nvml:0", "nvml:7", "amdgpu:card1", "vulkan:63",
                                   "emulated:/run/user/0/gpu"}) {
        const auto spec = parse_device_spec(text);
        ASSERT_TRUE(spec) << text;
        EXPECT_EQ(to_string(*spec), text);
    }
    EXPECT_EQ(parse_device_spec("amdgpu:1"), (DeviceSpec{.kind = DeviceKind::kAmdgpu, .index = 1}));
}

TEST(DeviceSpec, IsRefusedWithTheFormsThatAreKnown) {
    for (const std::string text : {"", "cuda:0", "nvml", "nvml:", "nvml:-1", "nvml:64", "nvml:0x",
                                   "nvml:0\n", "vulkan:card0", "emulated:", "AUTO"}) {
        const auto spec = parse_device_spec(text);
        ASSERT_FALSE(spec) << text;
        EXPECT_EQ(spec.error(),
                  (Error{Code::kInvalid,
                         fmt::format("unknown device \"{}\"; known are auto, none, nvml:0, "
                                     "amdgpu:card0, vulkan:0 and emulated:/path",
                                     text)}));
    }
}

class DeviceProbeFiles : public testing::Test {
  protected:
    ~DeviceProbeFiles() override { std::filesystem::remove_all(root_); }

    void write(const std::string& name, const std::string& content) const {
        const std::filesystem::path path = root_ + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << content;
    }
    DeviceReading read(const DeviceSpec& spec) const {
        return make_device_probe(spec, roots_)->read();
    }

    std::string root_ = fmt::format("{}/device_probe_{}", testing::TempDir(), getpid());
    DeviceRoots roots_{.sys = root_ + "/sys",
                       .dev = root_ + "/dev",
                       .nvml = root_ + "/no-nvml.so",
                       .vulkan = root_ + "/no-vulkan.so"};
};

TEST_F(DeviceProbeFiles, FindsTheDeviceThatItCanAskBest) {
    const DeviceSpec any;
    EXPECT_EQ(find_device(any, roots_).kind, DeviceKind::kNone);
    write("dev/dri/renderD129", "");
    EXPECT_EQ(to_string(find_device(any, roots_)), "vulkan:0");
    write("sys/class/drm/card1/device/mem_info_vram_total", "0");
    EXPECT_EQ(to_string(find_device(any, roots_)), "amdgpu:card1");
    write("dev/nvidiactl", "");
    EXPECT_EQ(to_string(find_device(any, roots_)), "nvml:0");
    const DeviceSpec none{.kind = DeviceKind::kNone};
    EXPECT_EQ(find_device(none, roots_), none);
}

TEST_F(DeviceProbeFiles, ReadsTheFilesOfAmdgpu) {
    const DeviceSpec card{.kind = DeviceKind::kAmdgpu, .index = 2};
    EXPECT_THAT(read(card).why, HasSubstr("/sys/class/drm/card2/device/mem_info_vram_*"));
    write("sys/class/drm/card2/device/mem_info_vram_total", "8573157376\n");
    EXPECT_EQ(read(card).status, Status::kFailed);  // half an answer is none
    write("sys/class/drm/card2/device/mem_info_vram_used", "573157376\n");
    EXPECT_EQ(read(card), known_device("amdgpu card2", {8573157376}, {8000000000}));
    write("sys/class/drm/card2/device/product_name", "Radeon RX 6600\n");
    EXPECT_EQ(read(card).name, "Radeon RX 6600");
    write("sys/class/drm/card2/device/mem_info_vram_used", "9000000000\n");
    EXPECT_EQ(read(card).free, Bytes{0});
    write("sys/class/drm/card2/device/mem_info_vram_used", "many\n");
    EXPECT_EQ(read(card).status, Status::kFailed);
}

TEST_F(DeviceProbeFiles, ReadsTheLedgerOfAnEmulatedGpu) {
    const DeviceSpec spec{.kind = DeviceKind::kEmulated, .path = root_ + "/ledger"};
    EXPECT_THAT(read(spec), failed_device(fmt::format("emulated GPU: {}: No such file or directory",
                                                      spec.path)));
    EmulatedLedgerFile file;
    file.total = 1000;
    file.reserved = 300;
    write("ledger", {reinterpret_cast<const char*>(&file), sizeof file});
    EXPECT_EQ(read(spec), known_device("emulated GPU", {1000}, {700}));
    write("ledger", "notes");
    EXPECT_THAT(read(spec).why, HasSubstr("not the ledger of an emulated GPU"));
}

TEST_F(DeviceProbeFiles, SaysWhichLibraryIsMissing) {
    const DeviceReading nvml = read({.kind = DeviceKind::kNvml});
    EXPECT_EQ(nvml.status, Status::kFailed);
    EXPECT_THAT(nvml.why, HasSubstr("no-nvml.so: cannot open shared object file"));
    const DeviceReading vulkan = read({.kind = DeviceKind::kVulkan});
    EXPECT_EQ(vulkan.status, Status::kFailed);
    EXPECT_THAT(vulkan.why, HasSubstr("no-vulkan.so: cannot open shared object file"));
}

TEST_F(DeviceProbeFiles, KnowsNothingWithoutADevice) {
    EXPECT_EQ(read({.kind = DeviceKind::kNone}),
              unknown_device("no device is configured or found"));
    EXPECT_EQ(read({.kind = DeviceKind::kAuto}).status, Status::kUnknown);
}

// A driver of two devices, with what it was asked to do written down.
int nvml_starts = 0, nvml_status = 0;

NvmlApi fake_nvml() {
    nvml_starts = nvml_status = 0;
    NvmlApi api;
    api.init = [] { return ++nvml_starts, 0; };
    api.shut_down = [] { return --nvml_starts, 0; };
    api.count = [](unsigned* count) { return *count = 2, 0; };
    api.device = [](unsigned, NvmlDevice*) { return 0; };
    api.name = [](NvmlDevice, char* name, unsigned size) {
        return snprintf(name, size, "RTX 2060"), 0;
    };
    api.memory = [](NvmlDevice, NvmlMemory* memory) {
        *memory = {6000, 5000, 1000};
        return nvml_status;
    };
    api.error_text = [](int status) { return status == 15 ? "GPU is lost" : "?"; };
    return api;
}

TEST(Nvml, ReadsMemoryAndStartsOnce) {
    NvmlSession session(fake_nvml());
    EXPECT_EQ(session.read(0), known_device("RTX 2060", {6000}, {5000}));
    EXPECT_EQ(session.read(1), known_device("RTX 2060", {6000}, {5000}));
    EXPECT_EQ(nvml_starts, 1);
}

TEST(Nvml, StartsAfreshAfterAFailure) {
    NvmlSession session(fake_nvml());
    EXPECT_EQ(session.read(2), failed_device("NVML has no device 2: 2 are there"));
    nvml_status = 15;
    EXPECT_EQ(session.read(0), failed_device("NVML cannot read the memory: GPU is lost"));
    EXPECT_EQ(nvml_starts, 0);
    nvml_status = 0;
    EXPECT_EQ(session.read(0).status, Status::kKnown);
}

TEST(PatientProbe, ReportsAHangAndTakesTheLateAnswer) {
    std::promise<void> release;
    auto released = release.get_future().share();
    PatientProbe probe({.name = "NVML",
                        .ask =
                            [released] {
                                released.wait();
                                return known_device("late", {2}, {1});
                            },
                        .patience = {1}});
    EXPECT_EQ(probe.read(), failed_device("NVML has not answered within 1 ms"));
    EXPECT_EQ(probe.read(), failed_device("NVML has not answered within 1 ms"));
    release.set_value();
    DeviceReading reading = probe.read();
    while (reading.status == Status::kFailed) reading = probe.read();
    EXPECT_EQ(reading, known_device("late", {2}, {1}));
}

TEST(PatientProbe, CanBeLeftWhileTheDriverHangs) {
    auto release = std::make_shared<std::promise<void>>();
    auto released = release->get_future().share();
    {
        PatientProbe probe({.name = "NVML",
                            .ask =
                                [released] {
                                    released.wait();
                                    return unknown_device("");
                                },
                            .patience = {1}});
        EXPECT_EQ(probe.read().status, Status::kFailed);
    }
    release->set_value();
}

}  // namespace
}  // namespace hotdesk
