// SPDX-License-Identifier: MIT
#pragma once
// Turns a TOML tree into settings by the schema's table, and collects what is wrong on the way.
// One file at a time; what must hold between entries is checked in config/references.

#include <vector>

#include "config/config.h"
#include "config/toml_node.h"

namespace hotdesk {

// What reading needs beside the tree, and where problems go.
struct Reading {
    std::string directory;  // of the file, absolute; relative paths start here
    const Environment& environment;
    bool is_main;  // only the main file may hold [sections]
    std::vector<Problem>& problems;
};

// Appends to `config` what the tree says.
void read_settings(const TomlNode& root, Reading& reading, Config& config);

}  // namespace hotdesk
