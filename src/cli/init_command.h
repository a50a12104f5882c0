// SPDX-License-Identifier: MIT
#pragma once
// `hotdesk init [DIR|FILE]`: writes a commented hotdesk.toml for this machine. It never overwrites.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace hotdesk {

struct FoundModel {
    std::string name;
    std::string path;
    Bytes size;
};

// What the first config is made from.
struct Machine {
    bool has_gpu = false;
    std::vector<FoundModel> models;  // the largest first
};

// Returns: the contents of a first hotdesk.toml; parse_config accepts it.
std::string first_config(const Machine& machine);

// GGUF files below the directories, the largest first, with names made of the file names. Later
// parts of split models and projectors (mmproj) are no models of their own.
std::vector<FoundModel> find_models(const std::vector<std::string>& directories);

// `args` is what follows "init". Returns the exit code: 73 when the file is there already.
int init_command(std::span<const std::string> args);

}  // namespace hotdesk
