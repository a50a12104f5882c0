// SPDX-License-Identifier: MIT
// Reads a scenario. A table's keys are read one by one; each that is asked for is known, and what
// is left over at the end is a mistake.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "config/toml_node.h"
#include "sim/scenario.h"

namespace hotdesk::sim {
namespace {

using Kind = TomlNode::Kind;

struct Range {
    int64_t low = 0, high = 0;
};
constexpr Range kTokens{0, 10'000'000};
constexpr Millis kLongest = hours(24 * 366);
constexpr Range kTimes{0, kLongest.value}, kPeriods{1000, kLongest.value};

class Table {
  public:
    Table(const TomlNode& node, std::string name, std::vector<Problem>& problems)
        : node_(node), name_(std::move(name)), problems_(problems) {}

    const TomlNode* find(const char* key) {
        known_.push_back(key);
        return node_.find(key);
    }
    void text(const char* key, std::string& out) {
        const TomlNode* node = find(key);
        if (node && is(*node, Kind::kText)) out = node->text;
    }
    void required_text(const char* key, std::string& out) {
        text(key, out);
        if (!node_.find(key)) note(node_, fmt::format("{}: needs a {}", name_, key));
    }
    void number(const char* key, Range range, int64_t& out) {
        if (const TomlNode* node = find(key)) read_number(*node, range, out);
    }
    void tokens(const char* key, Tokens& out) { number(key, kTokens, out.value); }
    void time(const char* key, Range range, Millis& out) {
        if (const TomlNode* node = find(key)) read_time(*node, range, out.value);
    }
    void time(const char* key, std::optional<Millis>& out) {
        Millis value;
        if (const TomlNode* node = find(key); node && read_time(*node, kTimes, value.value))
            out = value;
    }
    void bytes(const char* key, Bytes& out) {
        const TomlNode* node = find(key);
        if (!node || !is(*node, Kind::kText)) return;
        auto value = parse_bytes(node->text);
        if (value)
            out = *value;
        else
            wrong(*node, value.error().message);
    }
    // One time, or a list of them.
    void times(const char* key, Range range, std::vector<Millis>& out) {
        const TomlNode* node = find(key);
        if (!node) return;
        out.clear();
        for (const TomlNode& item : items_of(*node))
            read_time(item, range, out.emplace_back().value);
        if (out.empty()) wrong(*node, "at least one time is needed");
        if (out.empty()) out.emplace_back(Millis{range.low});
    }
    void spread_of_tokens(const char* key, Spread& out) {
        spread(key, out,
               [&](const TomlNode& item, int64_t& to) { read_number(item, kTokens, to); });
    }
    void spread_of_times(const char* key, Spread& out) {
        spread(key, out, [&](const TomlNode& item, int64_t& to) { read_time(item, kTimes, to); });
    }
    void range_of_times(const char* key, Millis& least, Millis& most) {
        Spread both{{least.value, most.value}};
        spread_of_times(key, both);
        if (both.values.size() > 2) wrong(*node_.find(key), "one time or two are needed");
        least = {both.values.front()};
        most = {both.values.back()};
    }
    // Requires: every key was asked for.
    void finish() {
        for (const TomlNode& member : node_.members)
            if (std::find(known_.begin(), known_.end(), member.name) == known_.end())
                note(member, fmt::format("{}: unknown key \"{}\"; there are: {}", name_,
                                         member.name, fmt::join(known_, ", ")));
    }
    void wrong(const TomlNode& node, std::string_view what) {
        note(node, fmt::format("{}.{}: {}", name_, label_of(node), what));
    }

  private:
    static std::vector<TomlNode> items_of(const TomlNode& node) {
        if (node.kind == Kind::kList) return node.items;
        return {node};
    }
    std::string label_of(const TomlNode& node) const {
        return node.name.empty() ? std::string(known_.back()) : node.name;
    }
    void note(const TomlNode& node, std::string what) {
        problems_.push_back({node.at, std::move(what)});
    }
    bool is(const TomlNode& node, Kind wanted) {
        if (node.kind == wanted) return true;
        wrong(node, fmt::format("{} is needed, this is {}", describe(wanted), describe(node.kind)));
        return false;
    }
    void read_number(const TomlNode& node, Range range, int64_t& out) {
        if (!is(node, Kind::kInteger)) return;
        out = node.integer;
        if (out >= range.low && out <= range.high) return;
        wrong(node, fmt::format("from {} to {} is possible", range.low, range.high));
        out = range.low;
    }
    bool read_time(const TomlNode& node, Range range, int64_t& out) {
        out = range.low;
        if (!is(node, Kind::kText)) return false;
        auto value = parse_duration(node.text);
        if (!value) {
            wrong(node, value.error().message);
        } else if (value->value < range.low || value->value > range.high) {
            wrong(node, fmt::format("from {} to {} is possible", format_duration({range.low}),
                                    format_duration({range.high})));
        } else {
            out = value->value;
            return true;
        }
        return false;
    }
    template <class Read>
    void spread(const char* key, Spread& out, Read read) {
        const TomlNode* node = find(key);
        if (!node) return;
        std::vector<int64_t> values;
        for (const TomlNode& item : items_of(*node)) read(item, values.emplace_back());
        size_t count = values.size();
        if (count != 1 && count != 2 && count != kQuantiles.size())
            return wrong(*node, fmt::format("one value, two ends or {} quantiles are needed, "
                                            "these are {}",
                                            kQuantiles.size(), count));
        if (!std::is_sorted(values.begin(), values.end()))
            return wrong(*node, "the values must not fall");
        out.values = std::move(values);
    }

    const TomlNode& node_;
    std::string name_;
    std::vector<Problem>& problems_;
    std::vector<const char*> known_;
};

// ---- the sections ------------------------------------------------------------------------------

void read_faults(Table& table, Scenario& scenario) {
    const TomlNode* node = table.find("faults");
    if (!node) return;
    if (node->kind != Kind::kText)
        return table.wrong(*node, "a text in quotes is needed, with commas between names");
    auto faults = parse_faults(node->text);
    if (!faults) return table.wrong(*node, faults.error().message);
    scenario.faults = *faults;
}

void read_work(Table& table, AgentGroup& group) {
    table.times("every", kPeriods, group.every);
    table.times("at", kTimes, group.at);
    table.time("apart", kTimes, group.apart);
    table.number("round_percent", {0, 100}, group.round_percent);
    table.spread_of_times("lag", group.lag);
    table.time("due", group.due);
    table.time("skip", group.skip);
    table.number("again_permille", {0, 1000}, group.again_permille);
    table.number("calls_max", {1, 1000}, group.calls_max);
    table.spread_of_tokens("own_prefix", group.own_prefix);
    table.spread_of_tokens("first", group.first);
    table.spread_of_tokens("fresh", group.fresh);
    table.spread_of_tokens("decoded", group.decoded);
    table.spread_of_times("gap", group.gap);
}

void read_group(Table& table, AgentGroup& group) {
    table.required_text("name", group.name);
    table.required_text("model", group.model);
    table.number("count", {1, 100'000}, group.count);
    read_work(table, group);
}

void read_model(Table& table, ScenarioModel& model) {
    table.required_text("name", model.name);
    table.bytes("device", model.device);
    table.number("context", {1, kTokens.high}, model.context.value);
    table.number("slots", {1, 64}, model.slots);
    table.time("load", kTimes, model.load);
}

void read_hardware(Table& table, Hardware& hardware) {
    table.bytes("device", hardware.device_total);
    table.bytes("host", hardware.host_total);
    table.number("prefill_per_second", {1, kTokens.high}, hardware.desk.prefill_per_second.value);
    table.number("step_us", {0, 60'000'000}, hardware.desk.step_us);
    table.number("step_each_us", {1, 60'000'000}, hardware.desk.step_each_us);
}

void read_strangers(Table& table, Strangers& strangers) {
    table.range_of_times("every", strangers.every_least, strangers.every_most);
    table.range_of_times("hold", strangers.hold_least, strangers.hold_most);
    table.range_of_times("patience", strangers.patience_least, strangers.patience_most);
}

class Reader {
  public:
    Reader(const TomlNode& root, std::vector<Problem>& problems)
        : root_(root), problems_(problems) {}

    Scenario read() {
        Scenario scenario;
        Table table(root_, "scenario", problems_);
        table.text("title", scenario.title);
        auto seed = static_cast<int64_t>(scenario.seed);
        table.number("seed", {0, INT64_C(1) << 53}, seed);
        scenario.seed = static_cast<uint64_t>(seed);
        table.time("length", {minutes(1).value, kLongest.value}, scenario.length);
        table.tokens("shared_prefix", scenario.shared_prefix);
        read_faults(table, scenario);
        section(table, "hardware", [&](Table& t) { read_hardware(t, scenario.hardware); });
        section(table, "strangers",
                [&](Table& t) { read_strangers(t, scenario.strangers.emplace()); });
        section(table, "fleet", [&](Table& t) {
            t.number("agents", {1, 100'000}, scenario.fleet_agents);
        });
        AgentGroup usual;
        section(table, "work", [&](Table& t) { read_work(t, usual); });
        entries(table, "model", [&](Table& t) { read_model(t, scenario.models.emplace_back()); });
        entries(table, "agents",
                [&](Table& t) { read_group(t, scenario.groups.emplace_back(usual)); });
        table.finish();
        check_names(scenario);
        return scenario;
    }

  private:
    template <class Read>
    void section(Table& table, const char* name, Read read) {
        const TomlNode* node = table.find(name);
        if (!node) return;
        if (node->kind != Kind::kTable)
            return table.wrong(*node, fmt::format("must be written [{}]", name));
        Table inner(*node, name, problems_);
        read(inner);
        inner.finish();
    }
    template <class Read>
    void entries(Table& table, const char* name, Read read) {
        const TomlNode* node = table.find(name);
        if (!node) return;
        bool are_tables = node->kind == Kind::kList &&
                          std::all_of(node->items.begin(), node->items.end(),
                                      [](const auto& item) { return item.kind == Kind::kTable; });
        if (!are_tables) return table.wrong(*node, fmt::format("must be written [[{}]]", name));
        for (const TomlNode& item : node->items) {
            Table inner(item, name, problems_);
            read(inner);
            inner.finish();
        }
    }
    // Requires: the entries of a list were read in its order, so that each has its node.
    void check_names(const Scenario& scenario) {
        std::set<std::string> models, groups;
        for (size_t i = 0; i < scenario.models.size(); ++i)
            if (!models.insert(scenario.models[i].name).second)
                note("model", i, fmt::format("{} is there twice", scenario.models[i].name));
        for (size_t i = 0; i < scenario.groups.size(); ++i) {
            const AgentGroup& group = scenario.groups[i];
            if (!models.contains(group.model))
                note("agents", i,
                     fmt::format("model \"{}\" is none of: {}", group.model,
                                 models.empty() ? "(there is no [[model]])"
                                                : fmt::format("{}", fmt::join(models, ", "))));
            if (!groups.insert(group.name).second)
                note("agents", i, fmt::format("{} is there twice", group.name));
        }
        if (scenario.groups.empty() == (scenario.fleet_agents == 0))
            problems_.push_back({root_.at, "either [fleet] or [[agents]] is needed"});
    }
    void note(const char* list, size_t index, std::string what) {
        problems_.push_back({root_.find(list)->items[index].at, fmt::format("{}: {}", list, what)});
    }

    const TomlNode& root_;
    std::vector<Problem>& problems_;
};

std::string text_of(std::vector<Problem> problems) {
    std::stable_sort(problems.begin(), problems.end(),
                     [](const Problem& a, const Problem& b) { return a.at < b.at; });
    std::string lines;
    for (const Problem& problem : problems) {
        const FilePlace& at = problem.at;
        lines += fmt::format("{}{}:{}:{}: {}", lines.empty() ? "" : "\n", at.file, at.line,
                             at.column, problem.message);
    }
    return lines;
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const std::string& file) {
    TomlNode root;
    std::vector<Problem> problems(1);
    if (!read_toml(text, file, root, problems.front()))
        return fail(Code::kInvalid, text_of(problems));
    problems.clear();
    Scenario scenario = Reader(root, problems).read();
    if (!problems.empty()) return fail(Code::kInvalid, text_of(std::move(problems)));
    return scenario;
}

}  // namespace hotdesk::sim
