// SPDX-License-Identifier: MIT
// Any text is a config or is refused with a reason; a config that is shown reads back as itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/config.h"
#include "config/render.h"

using namespace hotdesk;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const Environment nothing = [](const std::string&) { return std::nullopt; };
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto config = parse_config(text, "/fuzz/hotdesk.toml", nothing);
    if (!config) {
        HD_CHECK(!config.error().message.empty());
        return 0;
    }
    (void)config_json(*config);
    (void)resolve(*config, [](const std::string&) -> Result<Zone> { return Zone{}; });
    const std::string shown = config_toml(*config);
    const auto again = parse_config(shown, "/fuzz/hotdesk.toml", nothing);
    HD_CHECK(again.has_value());
    HD_CHECK(config_toml(*again) == shown);
    return 0;
}
