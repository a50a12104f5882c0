// SPDX-License-Identifier: MIT
#include "cli/arguments.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace hotdesk {
namespace {

constexpr int kLimitMax = 10'000;

Result<int> parse_limit(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kLimitMax)
        return fail(Code::kInvalid,
                    fmt::format("--limit takes a number from 1 to {}, not {}", kLimitMax, text));
    return value;
}

// A flag and, after a '=' or as the next argument, its value.
class Parser {
  public:
    Parser(std::span<const std::string> args, const Syntax& syntax)
        : args_(args), syntax_(syntax) {}

    Result<Arguments> parse() {
        for (; next_ < args_.size(); ++next_) HD_TRY_VOID(take(args_[next_]));
        const size_t count = found_.names.size();
        if (count < syntax_.names_min || count > syntax_.names_max)
            return fail(Code::kInvalid, fmt::format("usage: {}", syntax_.usage));
        return std::move(found_);
    }

  private:
    bool allows(std::string_view flag) const {
        return syntax_.flags.find(flag) != std::string_view::npos;
    }

    Status take(const std::string& arg) {
        if (arg == "--json") return set(found_.is_json);
        if ((arg == "-f" || arg == "--follow") && allows("--follow")) return set(found_.follow);
        if (arg == "--wait" && allows("--wait")) return set(found_.wait);
        if (arg.starts_with("--")) return take_value(arg);
        if (arg.size() > 1 && arg[0] == '-') return unknown(arg);
        found_.names.push_back(arg);
        return {};
    }

    Status take_value(const std::string& arg) {
        const size_t equals = arg.find('=');
        const std::string flag = arg.substr(0, equals);
        const bool is_known =
            (flag == "--agent" || flag == "--since" || flag == "--limit") && allows(flag);
        if (!is_known) return unknown(arg);
        if (equals == std::string::npos && next_ + 1 == args_.size())
            return fail(Code::kInvalid,
                        fmt::format("{} needs a value; usage: {}", flag, syntax_.usage));
        const std::string value =
            equals == std::string::npos ? args_[++next_] : arg.substr(equals + 1);
        if (flag == "--agent") found_.agent = value;
        if (flag == "--since") {
            HD_TRY(found_.since, parse_duration(value));
        }
        if (flag == "--limit") {
            HD_TRY(found_.limit, parse_limit(value));
        }
        return {};
    }

    static Status set(bool& flag) {
        flag = true;
        return {};
    }
    Status unknown(const std::string& arg) const {
        return fail(Code::kInvalid,
                    fmt::format("unknown option {}; usage: {}", arg, syntax_.usage));
    }

    std::span<const std::string> args_;
    const Syntax& syntax_;
    size_t next_ = 0;
    Arguments found_;
};

}  // namespace

Result<Arguments> parse_arguments(std::span<const std::string> args, const Syntax& syntax) {
    return Parser(args, syntax).parse();
}

}  // namespace hotdesk
