// SPDX-License-Identifier: MIT
#include "os/device_probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "os/emulated_ledger.h"
#include "os/nvml.h"
#include "os/patient_probe.h"
#include "os/small_file.h"
#include "os/vulkan_budget.h"

namespace hotdesk {
namespace {

constexpr int kDevicesMax = 64;  // cards looked for; also the largest index believed

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
    const bool is_clean = error == std::errc() && (rest.empty() || rest == "\n");
    return is_clean && number >= 0 ? std::optional(number) : std::nullopt;
}

std::string card_path(const DeviceRoots& roots, int card, std::string_view file) {
    return fmt::format("{}/class/drm/card{}/device/{}", roots.sys, card, file);
}

bool exists(const std::string& path) {
    return access(path.c_str(), F_OK) == 0;
}

// amdgpu says it in two files; reading them asks no hardware.
class AmdgpuProbe : public DeviceProbe {
  public:
    AmdgpuProbe(DeviceRoots roots, int card) : roots_(std::move(roots)), card_(card) {}

    DeviceReading read() override {
        const auto total = number_in("mem_info_vram_total");
        const auto used = number_in("mem_info_vram_used");
        if (!total || !used)
            return failed_device(
                fmt::format("cannot read {}: no amdgpu card, or its driver is older "
                            "than Linux 4.19",
                            card_path(roots_, card_, "mem_info_vram_*")));
        const Bytes free = std::max(Bytes{0}, Bytes{*total - *used});
        return known_device(name(), {*total}, free);
    }

  private:
    std::optional<int64_t> number_in(std::string_view file) const {
        const auto text = read_small_file(card_path(roots_, card_, file));
        return text ? whole_number(*text) : std::nullopt;
    }
    std::string name() const {
        auto product = read_small_file(card_path(roots_, card_, "product_name")).value_or("");
        while (!product.empty() && product.back() <= ' ') product.pop_back();
        return product.empty() ? fmt::format("amdgpu card{}", card_) : product;
    }

    DeviceRoots roots_;
    int card_;
};

class EmulatedProbe : public DeviceProbe {
  public:
    explicit EmulatedProbe(std::string path) : path_(std::move(path)) {}

    DeviceReading read() override {
        const auto reading = read_emulated_ledger(path_);
        if (!reading) return failed_device("emulated GPU: " + reading.error().message);
        return known_device("emulated GPU", reading->total, reading->free());
    }

  private:
    std::string path_;
};

// No device: an answer, so that nobody needs a special case.
class NoProbe : public DeviceProbe {
  public:
    DeviceReading read() override { return unknown_device("no device is configured or found"); }
};

// The library is loaded on the asking thread, because loading it already touches the driver.
std::unique_ptr<DeviceProbe> nvml_probe(const std::string& path, int index) {
    struct Open {
        std::unique_ptr<NvmlLibrary> library;
        std::unique_ptr<NvmlSession> session;
    };
    auto open = std::make_shared<Open>();  // std::function wants to be copied
    auto ask = [open, path, index] {
        if (!open->library) {
            auto loaded = NvmlLibrary::load(path);
            if (!loaded) return failed_device(loaded.error().message);
            open->library = std::move(*loaded);
            open->session = std::make_unique<NvmlSession>(open->library->api());
        }
        return open->session->read(index);
    };
    return std::make_unique<PatientProbe>(
        PatientProbe::Options{.name = "NVML", .ask = std::move(ask)});
}

std::unique_ptr<DeviceProbe> vulkan_probe(const std::string& path, int index) {
    auto open = std::make_shared<std::unique_ptr<VulkanBudget>>();  // as above
    auto ask = [open, path, index] {
        if (!*open) {
            auto opened = VulkanBudget::open(path);
            if (!opened) return failed_device(opened.error().message);
            *open = std::move(*opened);
        }
        return (*open)->read(index);
    };
    return std::make_unique<PatientProbe>(
        PatientProbe::Options{.name = "Vulkan", .ask = std::move(ask)});
}

tl::unexpected<Error> bad_spec(std::string_view text) {
    return fail(Code::kInvalid, fmt::format("unknown device \"{}\"; known are auto, none, nvml:0, "
                                            "amdgpu:card0, vulkan:0 and emulated:/path",
                                            text));
}

}  // namespace

DeviceReading known_device(std::string name, Bytes total, Bytes free) {
    return {DeviceReading::Status::kKnown, total, free, std::move(name), ""};
}
DeviceReading unknown_device(std::string why) {
    return {DeviceReading::Status::kUnknown, {}, {}, "", std::move(why)};
}
DeviceReading failed_device(std::string why) {
    return {DeviceReading::Status::kFailed, {}, {}, "", std::move(why)};
}

Result<DeviceSpec> parse_device_spec(std::string_view text) {
    if (text == "auto") return DeviceSpec{.kind = DeviceKind::kAuto};
    if (text == "none") return DeviceSpec{.kind = DeviceKind::kNone};
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return bad_spec(text);
    const std::string_view kind = text.substr(0, colon);
    std::string_view which = text.substr(colon + 1);
    if (kind == "emulated" && !which.empty())
        return DeviceSpec{.kind = DeviceKind::kEmulated, .path = std::string(which)};
    if (kind == "amdgpu" && which.starts_with("card")) which.remove_prefix(4);
    const auto index = whole_number(which);
    if (!index || *index >= kDevicesMax || which.ends_with('\n')) return bad_spec(text);
    const auto number = static_cast<int>(*index);
    if (kind == "nvml") return DeviceSpec{.kind = DeviceKind::kNvml, .index = number};
    if (kind == "vulkan") return DeviceSpec{.kind = DeviceKind::kVulkan, .index = number};
    if (kind == "amdgpu") return DeviceSpec{.kind = DeviceKind::kAmdgpu, .index = number};
    return bad_spec(text);
}

std::string to_string(const DeviceSpec& spec) {
    switch (spec.kind) {
        case DeviceKind::kAuto: return "auto";
        case DeviceKind::kNvml: return fmt::format("nvml:{}", spec.index);
        case DeviceKind::kAmdgpu: return fmt::format("amdgpu:card{}", spec.index);
        case DeviceKind::kVulkan: return fmt::format("vulkan:{}", spec.index);
        case DeviceKind::kEmulated: return "emulated:" + spec.path;
        case DeviceKind::kNone: return "none";
    }
    return "none";
}

DeviceSpec find_device(const DeviceSpec& wanted, const DeviceRoots& roots) {
    if (wanted.kind != DeviceKind::kAuto) return wanted;
    if (exists(roots.dev + "/nvidiactl")) return {.kind = DeviceKind::kNvml};
    for (int card = 0; card < kDevicesMax; ++card)
        if (exists(card_path(roots, card, "mem_info_vram_total")))
            return {.kind = DeviceKind::kAmdgpu, .index = card};
    for (int node = 128; node < 128 + kDevicesMax; ++node)  // render nodes are numbered from 128
        if (exists(fmt::format("{}/dri/renderD{}", roots.dev, node)))
            return {.kind = DeviceKind::kVulkan};
    return {.kind = DeviceKind::kNone};
}

std::unique_ptr<DeviceProbe> make_device_probe(const DeviceSpec& spec, const DeviceRoots& roots) {
    const DeviceSpec found = find_device(spec, roots);
    switch (found.kind) {
        case DeviceKind::kNvml: return nvml_probe(roots.nvml, found.index);
        case DeviceKind::kAmdgpu: return std::make_unique<AmdgpuProbe>(roots, found.index);
        case DeviceKind::kVulkan: return vulkan_probe(roots.vulkan, found.index);
        case DeviceKind::kEmulated: return std::make_unique<EmulatedProbe>(found.path);
        case DeviceKind::kAuto:
        case DeviceKind::kNone: break;
    }
    return std::make_unique<NoProbe>();
}

}  // namespace hotdesk
