// SPDX-License-Identifier: MIT
#include "sim/recorded_day.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hotdesk::sim {
namespace {

using nlohmann::json;

constexpr Millis kLongest = hours(24 * 366);
constexpr Tokens kTokensMax{10'000'000};

// One line being read; the first thing that is wrong is kept.
class Line {
  public:
    Line(std::string_view text, int64_t number)
        : number_(number), fields_(json::parse(text, nullptr, false)) {
        if (!fields_.is_object()) note("not a JSON object");
    }

    int64_t integer(const json& object, const char* name, int64_t low, int64_t high) {
        auto it = object.is_object() ? object.find(name) : object.end();
        if (!object.is_object() || it == object.end() || !it->is_number()) {
            note(fmt::format("\"{}\" is not a number", name));
            return low;
        }
        return bounded(*it, name, low, high);
    }
    Millis time(const char* name) { return {integer(fields_, name, 0, kLongest.value)}; }
    std::string text(const json& object, const char* name) {
        auto it = object.is_object() ? object.find(name) : object.end();
        if (!object.is_object() || it == object.end() || !it->is_string() ||
            it->get_ref<const std::string&>().empty()) {
            note(fmt::format("\"{}\" is not a text", name));
            return "?";
        }
        return it->get<std::string>();
    }
    int64_t bounded(const json& value, const char* name, int64_t low, int64_t high) {
        double number = value.is_number() ? value.get<double>() : -1;
        if (!value.is_number() || number < static_cast<double>(low) ||
            number > static_cast<double>(high)) {
            note(fmt::format("\"{}\" is not a number from {} to {}", name, low, high));
            return low;
        }
        return static_cast<int64_t>(number);
    }
    bool has(const char* name) const {
        return fields_.is_object() && fields_.contains(name) && !fields_.at(name).is_null();
    }
    const json& array(const char* name) {
        static const json kNone = json::array();
        if (fields_.is_object() && fields_.contains(name) && fields_.at(name).is_array())
            return fields_.at(name);
        note(fmt::format("\"{}\" is not a list", name));
        return kNone;
    }
    const json& fields() const { return fields_; }

    void note(std::string what) {
        if (wrong_.empty()) wrong_ = fmt::format("line {}: {}", number_, what);
    }
    Status verdict() const {
        if (wrong_.empty()) return {};
        return fail(Code::kInvalid, wrong_);
    }

  private:
    int64_t number_;
    json fields_;
    std::string wrong_;
};

AgentName name_of(int64_t id) {
    return {fmt::format("agent-{:05}", id)};
}

bool uses_desk(const std::string& model) {
    return model.starts_with("heavy");
}

constexpr int64_t kIdMax = 99'999;

Status read_header(Line& line, RecordedDay& day) {
    day.seed = static_cast<uint64_t>(line.integer(line.fields(), "seed", 0, INT64_C(1) << 53));
    day.length = line.time("horizon_ms");
    day.shared_prefix = {line.integer(line.fields(), "shared_prefix_tokens", 0, kTokensMax.value)};
    for (const json& agent : line.array("agents")) {
        AgentName name = name_of(line.integer(agent, "id", 0, kIdMax));
        std::string model = line.text(agent, "model");
        RecordedAgent recorded{
            .model = {model},
            .period = {line.integer(agent, "period_ms", 1000, kLongest.value)},
            .phase = {line.integer(agent, "phase_ms", 0, kLongest.value)},
            .own_prefix = {line.integer(agent, "own_prefix_tokens", 0, kTokensMax.value)}};
        if (uses_desk(model) && !day.agents.emplace(name, recorded).second)
            line.note(fmt::format("{} is there twice", name.value));
    }
    return line.verdict();
}

Status read_run(Line& line, RecordedDay& day) {
    if (!uses_desk(line.text(line.fields(), "model"))) {
        ++day.elsewhere;
        return line.verdict();
    }
    AgentName agent = name_of(line.integer(line.fields(), "agent", 0, kIdMax));
    if (!day.agents.contains(agent)) line.note(agent.value + " is not in the first line");
    Millis tick = line.time("tick_ms");
    RecordedRun run{.released = line.time("release_ms"),
                    .due = line.time("due_ms"),
                    .skip_at = {},
                    .calls = {}};
    if (line.has("skip_at_ms")) run.skip_at = line.time("skip_at_ms");
    if (run.released < tick) line.note("released before its tick");
    for (const json& call : line.array("calls")) {
        if (!call.is_array() || call.size() != 3) {
            line.note("a call is not [new_tokens, decode_tokens, gap_ms]");
            break;
        }
        run.calls.push_back({{line.bounded(call[0], "new_tokens", 0, kTokensMax.value)},
                             {line.bounded(call[1], "decode_tokens", 0, kTokensMax.value)},
                             {line.bounded(call[2], "gap_ms", 0, kLongest.value)}});
    }
    if (run.calls.empty()) line.note("a run without calls");
    if (!day.runs.emplace(std::pair(agent, tick), std::move(run)).second)
        line.note(fmt::format("{} fires twice at {} ms", agent.value, tick.value));
    return line.verdict();
}

ModelSpec heavy(const ModelName& name, Tokens shared) {
    ModelSpec spec{.name = name, .path = "/recorded/" + name.value + ".gguf"};
    spec.need.device = mib(4800);
    spec.context = {24'000 - shared.value};  // the budget, less what is there once for all
    spec.pinned = true;
    return spec;
}

AgentSpec agent_of(const AgentName& name, const RecordedAgent& recorded, Wall start) {
    AgentSpec agent{.name = name};
    agent.schedule = {.kind = Schedule::Kind::kEvery,
                      .text = "recorded",
                      .every = recorded.period,
                      .phase = {(start.ms + recorded.phase.value) % recorded.period.value}};
    agent.command = {"recorded"};
    agent.task = recorded.model.value;
    agent.timeout = {};
    agent.wait = kLongest;
    return agent;
}

}  // namespace

Result<RecordedDay> read_day(std::string_view ndjson) {
    RecordedDay day;
    int64_t number = 0;
    while (!ndjson.empty()) {
        size_t end = ndjson.find('\n');
        std::string_view text = ndjson.substr(0, end);
        ndjson.remove_prefix(end == std::string_view::npos ? ndjson.size() : end + 1);
        if (++number > 1 && text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        Line line(text, number);
        HD_TRY_VOID(number == 1 ? read_header(line, day) : read_run(line, day));
    }
    if (number == 0) return fail(Code::kInvalid, "line 1: the file is empty");
    return day;
}

Tokens Player::known_prefix(const AgentName& agent, const RecordedAgent& recorded) {
    bool knows_shared = !knows_shared_.insert(recorded.model).second;
    bool knows_own = !knows_own_.insert(agent).second;
    Tokens known;
    if (knows_shared) known += day_.shared_prefix;
    if (knows_own) known += recorded.own_prefix;
    return known;
}

RunShape Player::run(const AgentSpec& agent, Wall due, Wall now) {
    RunShape shape;
    auto found = day_.runs.find({agent.name, due - start_});
    if (found == day_.runs.end()) return shape;
    const RecordedAgent& recorded = day_.agents.at(agent.name);
    const RecordedRun& run = found->second;
    shape.start_up = run.released - (due - start_);
    shape.gives_up = true;
    if (run.skip_at)
        shape.first_wait = std::max(start_ + *run.skip_at - (now + shape.start_up), Millis{});
    Tokens context = day_.shared_prefix + recorded.own_prefix;
    Tokens known = known_prefix(agent.name, recorded);
    Millis gap;
    for (const RecordedCall& call : run.calls) {
        context += call.fresh;
        shape.calls.push_back({.prompt = context,
                               .fresh = context - known,
                               .completion = call.decoded,
                               .think = gap,
                               .shared = day_.shared_prefix});
        context += call.decoded;
        known = context;
        gap = call.gap;
    }
    return shape;
}

Wall Player::late_after(const AgentName& agent, Wall due) const {
    auto found = day_.runs.find({agent, due - start_});
    return found == day_.runs.end() ? due + kLongest : start_ + found->second.due;
}

Hardware recorded_hardware() {
    Hardware hardware{.unload_least = {1}, .unload_most = {1}};
    hardware.load_times = {
        {{"heavy-1"}, seconds(8)}, {{"heavy-2"}, seconds(12)}, {{"heavy-3"}, seconds(9)}};
    return hardware;
}

Fleet fleet_of(const RecordedDay& day, Wall start) {
    Fleet fleet;
    fleet.policy.runs_max = 100'000;
    fleet.policy.waiting_max = 100'000;
    for (const auto& [name, recorded] : day.agents) {
        fleet.models.emplace(recorded.model, heavy(recorded.model, day.shared_prefix));
        fleet.tasks[recorded.model.value] = {recorded.model};
        fleet.agents.emplace(name, agent_of(name, recorded, start));
    }
    return fleet;
}

}  // namespace hotdesk::sim
