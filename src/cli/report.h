// SPDX-License-Identifier: MIT
#pragma once
// How every command answers: JSON or text on stdout, an error on stderr, an exit code.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "cli/exit_code.h"

namespace hotdesk {

// "hotdesk: no daemon answers at ...", and the code for it.
int report(const Error& error);

// The command line was wrong: exit 64.
int report_usage(const Error& error);

void print_json(const nlohmann::json& object);

// "-" for null; the text of a string; numbers as they are.
std::string cell(const nlohmann::json& value);
std::string bytes_cell(const nlohmann::json& value);
std::string duration_cell(const nlohmann::json& value);
// A "..._ms" of wall time, in local time.
std::string time_cell(const nlohmann::json& value);

}  // namespace hotdesk
