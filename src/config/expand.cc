// SPDX-License-Identifier: MIT
#include "config/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace hotdesk {
namespace {

struct Fallback {
    std::string_view name, below_home;
};
constexpr Fallback kXdg[] = {{"XDG_CONFIG_HOME", ".config"},
                             {"XDG_STATE_HOME", ".local/state"},
                             {"XDG_CACHE_HOME", ".cache"},
                             {"XDG_DATA_HOME", ".local/share"}};

std::string set_or(const Environment& environment, const std::string& name, std::string fallback) {
    const auto value = environment(name);
    // The specification has relative values ignored.
    return value && value->starts_with('/') ? *value : fallback;
}

Result<std::string> directory_named(std::string_view name, const Environment& environment) {
    const std::string home = set_or(environment, "HOME", "/");
    if (name == "HOME") return home;
    for (const auto& xdg : kXdg)
        if (xdg.name == name)
            return set_or(environment, std::string(name),
                          fmt::format("{}/{}", home, xdg.below_home));
    if (name == "XDG_RUNTIME_DIR") {
        HD_TRY(const std::string state, directory_named("XDG_STATE_HOME", environment));
        return set_or(environment, "XDG_RUNTIME_DIR", state + "/hotdesk/run");
    }
    return fail(
        Code::kInvalid,
        fmt::format("${} is not expanded: only ~, %t, $HOME and the XDG directories are", name));
}

// "~", "%t" and "$NAME" to the name of a directory, or "" for none of these.
std::string_view variable_of(std::string_view head) {
    if (head == "~") return "HOME";
    if (head == "%t") return "XDG_RUNTIME_DIR";
    return head.starts_with('$') ? head.substr(1) : "";
}

}  // namespace

Result<std::string> expand_path(std::string_view path, std::string_view directory,
                                const Environment& environment) {
    if (path.empty()) return std::string();
    const size_t slash = std::min(path.find('/'), path.size());
    const auto head = path.substr(0, slash);
    if (const auto variable = variable_of(head); !variable.empty()) {
        HD_TRY(const std::string base, directory_named(variable, environment));
        return base + std::string(path.substr(slash));
    }
    if (head.starts_with('~'))
        return fail(Code::kInvalid,
                    fmt::format("{} is not expanded: write the path of that home", head));
    const auto whole = std::filesystem::path(directory) / std::filesystem::path(path);
    return whole.lexically_normal().string();
}

}  // namespace hotdesk
