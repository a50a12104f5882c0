// SPDX-License-Identifier: MIT
#include "cli/table.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/check.h"

namespace hotdesk {
namespace {

// Code points: bytes that do not continue one.
size_t width(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

tm local(Wall at) {
    const time_t seconds = at.ms / 1000;
    tm out{};
    localtime_r(&seconds, &out);
    return out;
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
    for (std::string& heading : headings) {
        right_.push_back(heading.starts_with('>'));
        if (right_.back()) heading.erase(0, 1);
    }
    rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) {
    HD_CHECK(cells.size() == right_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<size_t> widths(right_.size());
    for (const auto& row : rows_)
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            const std::string gap(widths[i] - width(row[i]), ' ');
            line += (i == 0 ? "" : "  ") + (right_[i] ? gap + row[i] : row[i] + gap);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string short_time(Wall at, Wall now) {
    const tm then = local(at), today = local(now);
    const bool same_day = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
    std::array<char, 32> text{};
    strftime(text.data(), text.size(), same_day ? "%H:%M:%S" : "%b %d %H:%M", &then);
    return text.data();
}

Wall wall_now() {
    using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::system_clock;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

}  // namespace hotdesk
