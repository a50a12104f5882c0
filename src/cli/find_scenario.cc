// SPDX-License-Identifier: MIT
#include "cli/find_scenario.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/load_fleet.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

// Beside the program in a build, and where an installed one has its data.
std::string folder() {
    std::error_code ec;
    for (const char* share : {"/share/hotdesk", "/../share/hotdesk"})
        if (auto path = program_directory() + share + "/scenarios"; fs::is_directory(path, ec))
            return path;
    return "";
}

std::string names_in(const std::string& path) {
    std::set<std::string> names;
    std::error_code ec;
    for (fs::directory_iterator it(path, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().extension() == ".toml") names.insert(it->path().stem().string());
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<sim::Scenario> load_scenario(const std::string& name) {
    bool is_file = name.find('/') != std::string::npos || name.ends_with(".toml");
    std::string path = is_file ? name : fmt::format("{}/{}.toml", folder(), name);
    std::error_code ec;
    if (!fs::is_regular_file(path, ec))
        return fail(Code::kNotFound,
                    is_file ? fmt::format("{}: no such file", name)
                            : fmt::format("no scenario is called \"{}\"; there are: {}", name,
                                          names_in(folder())));
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(Code::kDenied, fmt::format("{}: cannot be read", path));
    return sim::parse_scenario(std::string(std::istreambuf_iterator<char>(in), {}), path);
}

}  // namespace hotdesk
