// SPDX-License-Identifier: MIT
#include "cli/report.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/table.h"

namespace hotdesk {

using Json = nlohmann::json;

int report(const Error& error) {
    fmt::print(stderr, "hotdesk: {}\n", error.message);
    return to_int(exit_code_for(error.code));
}

int report_usage(const Error& error) {
    fmt::print(stderr, "hotdesk: {}\n", error.message);
    return to_int(ExitCode::kUsage);
}

void print_json(const Json& object) {
    fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string cell(const Json& value) {
    if (value.is_null()) return "-";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string bytes_cell(const Json& value) {
    return value.is_number() ? format_bytes({value.get<int64_t>()}) : "-";
}

std::string duration_cell(const Json& value) {
    return value.is_number() ? format_duration({value.get<int64_t>()}) : "-";
}

std::string time_cell(const Json& value) {
    return value.is_number() ? short_time({value.get<int64_t>()}, wall_now()) : "-";
}

}  // namespace hotdesk
