// SPDX-License-Identifier: MIT
#include "config/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "config/expand.h"

namespace hotdesk {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kFileBytesMax = 16 << 20;  // 10,000 agents take 3 MB

Result<ConfigText> read_text(const std::string& file) {
    std::error_code ec;
    if (!fs::exists(file, ec) && !ec)
        return fail(Code::kNotFound,
                    fmt::format("{}: no such file: `hotdesk init` writes one", file));
    if (!fs::is_regular_file(file, ec) && !fs::is_character_file(file, ec))
        return fail(Code::kInvalid, fmt::format("{}: is not a file", file));
    if (const auto size = fs::file_size(file, ec); !ec && size > kFileBytesMax)
        return fail(Code::kInvalid,
                    fmt::format("{}: has {}, {} are allowed", file,
                                format_bytes({static_cast<int64_t>(size)}),
                                format_bytes({static_cast<int64_t>(kFileBytesMax)})));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return fail(Code::kDenied, fmt::format("{}: cannot be read: check its permissions", file));
    return ConfigText{file, std::string(std::istreambuf_iterator<char>(in), {})};
}

std::vector<std::string> files_beside(const std::string& file) {
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::directory_iterator it(fs::path(file).parent_path() / "agents.d", ec), end;
         !ec && it != end; it.increment(ec))
        if (it->path().extension() == ".toml") files.push_back(it->path().string());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

Result<std::string> find_config(const std::string& given, const Environment& environment) {
    if (!given.empty()) return given;
    if (const auto named = environment("HOTDESK_CONFIG"); named && !named->empty()) return *named;
    HD_TRY(const std::string user,
           expand_path("$XDG_CONFIG_HOME/hotdesk/hotdesk.toml", "/", environment));
    const std::string places[] = {"hotdesk.toml", user, "/etc/hotdesk/hotdesk.toml"};
    std::error_code ec;
    for (const auto& place : places)
        if (fs::exists(place, ec)) return place;
    return fail(Code::kNotFound,
                fmt::format("no config found (looked at {}): `hotdesk init` writes one",
                            fmt::join(places, ", ")));
}

Result<Config> load_config(const std::string& file, const Environment& environment) {
    std::vector<ConfigText> texts;
    HD_TRY(auto main, read_text(file));
    texts.push_back(std::move(main));
    for (const auto& beside : files_beside(file)) {
        HD_TRY(auto text, read_text(beside));
        texts.push_back(std::move(text));
    }
    return parse_config(texts, environment);
}

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace hotdesk
