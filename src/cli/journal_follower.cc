// SPDX-License-Identifier: MIT
#include "cli/journal_follower.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/step.h"
#include "loop/record.h"

namespace hotdesk {

Status JournalFollower::advance() {
    std::ifstream file(path_, std::ios::binary);
    file.seekg(read_);
    std::string more{std::istreambuf_iterator<char>(file), {}};
    read_ += static_cast<int64_t>(more.size());
    half_line_ += more;
    size_t begin = 0;
    for (size_t end; (end = half_line_.find('\n', begin)) != std::string::npos; begin = end + 1)
        HD_TRY_VOID(apply_line(std::string_view(half_line_).substr(begin, end - begin)));
    half_line_.erase(0, begin);
    return {};
}

Status JournalFollower::apply_line(std::string_view line) {
    HD_TRY(RecordedCycle cycle, decode_cycle(line));
    seen_ = cycle.seen;
    for (const Event& event : cycle.events) {
        apply(state_, seen_.now, event);
        tally_.add(event);
    }
    for (const Decision& decision : cycle.decisions) {
        apply(state_, seen_.now, Intended{decision});
        tally_.add(decision);
    }
    return {};
}

std::string newest_journal(const std::string& state_dir) {
    std::string newest;
    std::error_code ec;
    for (const auto& entry : std::filesystem::directory_iterator(state_dir + "/journal", ec))
        newest = std::max(newest, entry.path().string());
    return newest;
}

}  // namespace hotdesk
