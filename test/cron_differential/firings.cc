// SPDX-License-Identifier: MIT
// Our side of the differential test: reads "expression<TAB>zone<TAB>after_ms<TAB>count" lines and
// answers each with the firings in milliseconds, or with "error: why".

#include <fmt/format.h>

#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "core/cron.h"
#include "os/time_zone.h"

namespace hotdesk {
namespace {

struct Question {
    std::string expression, zone;
    Wall after;
    int count = 0;
};

Question parse_question(const std::string& line) {
    std::istringstream in(line);
    Question question;
    std::getline(in, question.expression, '\t');
    std::getline(in, question.zone, '\t');
    in >> question.after.ms >> question.count;
    return question;
}

Result<Zone> zone_named(const std::string& name) {
    static std::map<std::string, Result<Zone>> known;
    auto found = known.find(name);
    if (found == known.end()) found = known.emplace(name, load_zone(name)).first;
    return found->second;
}

Result<std::string> answer(const Question& question) {
    HD_TRY(const Zone zone, zone_named(question.zone));
    HD_TRY(const Schedule schedule, parse_schedule(question.expression));
    std::string out;
    Wall after = question.after;
    for (int i = 0; i < question.count; ++i) {
        const auto next = next_firing(schedule, zone, after);
        if (!next) break;
        out += fmt::format("{}{}", i == 0 ? "" : " ", next->ms);
        after = *next;
    }
    return out;
}

}  // namespace
}  // namespace hotdesk

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const auto out = hotdesk::answer(hotdesk::parse_question(line));
        fmt::print("{}\n", out ? *out : "error: " + out.error().message);
    }
    return 0;
}
