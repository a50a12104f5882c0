// SPDX-License-Identifier: MIT
// hotdesk-emulated-ledger: shows the memory of an emulated GPU as JSON, makes one, or plays the
// stranger who takes some of it.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <string>

#include "base/text.h"
#include "ledger.h"

namespace {

using namespace hotdesk;
using namespace hotdesk::emulated;

struct Arguments {
    std::string path, total, reserved;
    bool reset_peak = false;
};

nlohmann::json to_json(const EmulatedReading& reading) {
    nlohmann::json owners = nlohmann::json::array();
    for (const EmulatedOwner& owner : reading.owners)
        owners.push_back({{"pid", owner.pid}, {"bytes", owner.bytes.value}});
    return {{"total", reading.total.value},
            {"reserved", reading.reserved.value},
            {"used", reading.used.value},
            {"free", reading.free().value},
            {"peak", reading.peak.value},
            {"failed_allocations", reading.failed_allocations},
            {"owners", owners}};
}

Status change(const Arguments& a) {
    DeviceSize size;
    if (!a.total.empty()) {
        HD_TRY(size.total, parse_bytes(a.total));
    }
    if (!a.reserved.empty()) {
        HD_TRY(size.reserved, parse_bytes(a.reserved));
    }
    HD_TRY(const std::unique_ptr<Ledger> ledger, Ledger::open(a.path, size));
    if (a.reset_peak) ledger->reset_peak();
    return {};
}

Status show(const Arguments& a) {
    if (!a.total.empty() || !a.reserved.empty() || a.reset_peak) HD_TRY_VOID(change(a));
    HD_TRY(const EmulatedReading reading, read_emulated_ledger(a.path));
    fmt::print("{}\n", to_json(reading).dump());
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Shows the memory of an emulated GPU as JSON.", "hotdesk-emulated-ledger");
    Arguments arguments;
    app.add_option("LEDGER", arguments.path, "the file in HOTDESK_EMULATED_LEDGER")->required();
    app.add_option("--total", arguments.total, "make the device this large, such as 64MiB");
    app.add_option("--reserved", arguments.reserved, "let somebody else have this much of it");
    app.add_flag("--reset-peak", arguments.reset_peak, "start the high-water mark again");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 64;
    }
    if (const Status shown = show(arguments); !shown) {
        fmt::print(stderr, "hotdesk-emulated-ledger: {}\n", shown.error().message);
        return 70;
    }
    return 0;
}
