// SPDX-License-Identifier: MIT
#include "config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "config/expand.h"
#include "config/reader.h"
#include "config/references.h"

namespace hotdesk {
namespace {

std::string to_line(const Problem& problem) {
    const FilePlace& at = problem.at;
    if (at.line == 0) return fmt::format("{}: {}", at.file, problem.message);
    return fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, problem.message);
}

tl::unexpected<Error> all_of(std::vector<Problem> problems) {
    std::stable_sort(problems.begin(), problems.end(),
                     [](const Problem& a, const Problem& b) { return a.at < b.at; });
    std::string lines;
    for (const auto& problem : problems) lines += (lines.empty() ? "" : "\n") + to_line(problem);
    return fail(Code::kInvalid, std::move(lines));
}

// The directory that relative paths of a file start in. The main file's name may be relative.
std::string directory_of(const std::string& file) {
    std::error_code ec;
    const auto whole = std::filesystem::absolute(file, ec);
    return whole.parent_path().lexically_normal().string();
}

void read_one(const ConfigText& text, bool is_main, const Environment& environment, Config& config,
              std::vector<Problem>& problems) {
    TomlNode root;
    Problem broken;
    if (!read_toml(text.text, text.file, root, broken)) {
        problems.push_back(std::move(broken));
        return;
    }
    Reading reading{directory_of(text.file), environment, is_main, problems};
    read_settings(root, reading, config);
}

// The defaults that are paths and were not written.
void expand_defaults(Config& config, const Environment& environment) {
    for (auto& address : config.server.listen)
        if (address.starts_with("unix:%t"))
            address = "unix:" + expand_path(address.substr(5), "/", environment).value_or("");
    if (config.server.state_dir.empty())
        config.server.state_dir =
            environment("HOTDESK_STATE_DIR")
                .value_or(expand_path("$XDG_STATE_HOME/hotdesk", "/", environment).value_or(""));
    if (config.gpu.desk_dir.empty())
        config.gpu.desk_dir = environment("HOTDESK_DESK_DIR").value_or("");
}

}  // namespace

Result<Config> parse_config(const std::vector<ConfigText>& texts, const Environment& environment) {
    Config config;
    std::vector<Problem> problems;
    for (size_t i = 0; i < texts.size(); ++i)
        read_one(texts[i], i == 0, environment, config, problems);
    config.file = texts.empty() ? "" : texts.front().file;
    check_references(config, problems);
    if (!problems.empty()) return all_of(std::move(problems));
    expand_defaults(config, environment);
    return config;
}

Result<Config> parse_config(std::string_view text, const std::string& file,
                            const Environment& environment) {
    return parse_config({{file, std::string(text)}}, environment);
}

}  // namespace hotdesk
