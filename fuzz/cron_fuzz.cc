// SPDX-License-Identifier: MIT
// Any text is a schedule or is refused; a schedule's firings grow, and fall on a whole minute of
// local time unless they stand at a clock change. TZif bytes are read after the first newline.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "core/cron.h"
#include "os/time_zone.h"

using namespace hotdesk;

namespace {

constexpr int kFirings = 20;

Zone berlin() {
    static const Zone zone = *parse_posix_zone("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3");
    return zone;
}

void check_firings(const Schedule& schedule, const Zone& zone) {
    Wall after{1774700000'000};  // the day before a change in Berlin
    for (int i = 0; i < kFirings; ++i) {
        const auto next = next_firing(schedule, zone, after);
        if (!next) return;
        HD_CHECK(*next > after);
        if (schedule.kind == Schedule::Kind::kCron)
            HD_CHECK((next->ms + offset_at(zone, *next).value) % 60'000 == 0);
        after = *next;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const size_t newline = std::min(input.find('\n'), size);
    if (const auto schedule = parse_schedule(input.substr(0, newline)))
        check_firings(*schedule, berlin());
    if (newline < size) (void)parse_tzif("fuzz", input.substr(newline + 1));
    (void)parse_posix_zone("fuzz", input);
    return 0;
}
