// SPDX-License-Identifier: MIT
#pragma once
// Plain aligned tables for people, and the few ways in which they show times and sizes.

#include <string>
#include <vector>

#include "base/units.h"

namespace hotdesk {

// Columns are as wide as their widest cell, two spaces apart; trailing spaces are left out. A
// column whose heading starts with '>' is right-aligned (the '>' is not shown). Widths count UTF-8
// code points.
class Table {
  public:
    explicit Table(std::vector<std::string> headings);
    // Requires: as many cells as there are headings.
    void add(std::vector<std::string> cells);
    bool is_empty() const { return rows_.size() == 1; }
    std::string text() const;

  private:
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;  // the headings first
};

// In local time: "13:15:02" on the day of `now`, "Dec 02 13:15" else.
std::string short_time(Wall at, Wall now);

Wall wall_now();

}  // namespace hotdesk
