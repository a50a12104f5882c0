// SPDX-License-Identifier: MIT
#include "cli/load_fleet.h"

#include <filesystem>

#include "config/config_file.h"
#include "os/time_zone.h"

namespace hotdesk {

Result<LoadedFleet> load_fleet(const std::string& given) {
    HD_TRY(std::string file, find_config(given, process_environment));
    HD_TRY(Config config, load_config(file, process_environment));
    HD_TRY(Fleet fleet, resolve(config, [](const std::string& name) { return load_zone(name); }));
    return LoadedFleet{std::move(config), std::move(fleet)};
}

std::string program_directory() {
    std::error_code ec;
    return std::filesystem::read_symlink("/proc/self/exe", ec).parent_path().string();
}

}  // namespace hotdesk
