// SPDX-License-Identifier: MIT
#include "loop/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "loop/fields.h"

namespace hotdesk {
namespace record {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, std::variant_size_v<Action>> kActions = {
    "start_run",    "stop_run",   "close_run",   "skip_firings", "hold_firing",
    "route_call",   "start_call", "close_call",  "set_gate",     "queue_for_desk",
    "release_desk", "load_model", "unload_model"};

static_assert(!kActions.back().empty(), "each Action has a name");
static_assert(std::is_same_v<std::variant_alternative_t<7, Action>, CloseCall>);
static_assert(std::is_same_v<std::variant_alternative_t<12, Action>, UnloadModel>);

constexpr std::array<std::string_view, std::variant_size_v<Event>> kEvents = {
    "configured",     "recovered",    "run_started",   "run_ended",    "call_arrived",
    "call_streaming", "call_gone",    "call_finished", "call_broken",  "worker_loading",
    "worker_ready",   "worker_gone",  "desk_granted",  "desk_taken",   "stranger_waits",
    "run_wanted",     "run_unwanted", "pause_wanted",  "evict_wanted", "drain_wanted",
    "checkpoint",     "intended"};

static_assert(!kEvents.back().empty(), "each Event has a name");
static_assert(std::is_same_v<std::variant_alternative_t<4, Event>, CallArrived>);
static_assert(std::is_same_v<std::variant_alternative_t<21, Event>, Intended>);

// ---- values to JSON ----------------------------------------------------------------------------

// Members, so that each overload sees the others whatever the order.
struct Write {
    // Those of the fleet that is being written: it has each once, and its agents the place of
    // theirs.
    std::vector<Shared<Zone>> zones;

    struct Fields {
        Write& write;
        json out = json::object();
        template <class T>
        void operator()(const char* name, const T& value) {
            out[name] = write.of(value);
        }
    };

    template <class Tag>
    json of(const Quantity<Tag>& q) {
        return q.value;
    }
    template <class Tag>
    json of(const TimePoint<Tag>& t) {
        return t.ms;
    }
    template <class Tag>
    json of(const Id<Tag>& id) {
        return id.value;
    }
    template <class Tag>
    json of(const Name<Tag>& name) {
        return name.value;
    }
    json of(const Reason& reason) { return to_string(reason); }
    template <class T>
    json of(const std::optional<T>& o) {
        return o ? of(*o) : json();
    }
    template <class T>
    json of(const std::vector<T>& list) {
        json out = json::array();
        for (const T& item : list) out.push_back(of(item));
        return out;
    }
    template <class T>
    json of(const std::set<T>& set) {
        json out = json::array();
        for (const T& item : set) out.push_back(of(item));
        return out;
    }
    template <class A, class B>
    json of(const std::pair<A, B>& pair) {
        return json::array({of(pair.first), of(pair.second)});
    }
    // A map is a list of pairs: its keys are names, and JSON's order of keys is not ours.
    template <class K, class T>
    json of(const std::map<K, T>& map) {
        json out = json::array();
        for (const auto& [key, item] : map) out.push_back(json::array({of(key), of(item)}));
        return out;
    }
    template <class... Ts>
    json of(const std::variant<Ts...>& v) {
        json out = std::visit([this](const auto& alternative) { return of(alternative); }, v);
        out["is"] = name_of(v);
        return out;
    }
    json of(const Shared<Zone>& zone) {
        const auto known = std::find(zones.begin(), zones.end(), zone);
        const auto place = known - zones.begin();
        if (known == zones.end()) zones.push_back(zone);
        return place;
    }
    json of(const Fleet& fleet) {
        zones.clear();
        Fields writer{*this};
        fields(writer, fleet);
        json list = json::array();
        for (const Shared<Zone>& zone : zones) list.push_back(of(*zone));
        writer.out["zones"] = std::move(list);
        return std::move(writer.out);
    }
    template <class T>
    json of(const T& value) {
        if constexpr (std::is_enum_v<T>) {
            return static_cast<int>(value);
        } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            return value;
        } else {
            Fields writer{*this};
            fields(writer, value);
            return std::move(writer.out);
        }
    }
};

// ---- JSON to values ----------------------------------------------------------------------------

// Reads into values and keeps the first error; what follows it is not read.
struct Read {
    std::string error;
    std::vector<Shared<Zone>> zones;  // of the fleet that is being read

    struct Fields {
        const json& in;
        Read& read;
        template <class T>
        void operator()(const char* name, T& value) {
            read.field(in, name, value);
        }
    };

    template <class T>
    void field(const json& in, const char* name, T& value) {
        if (!error.empty()) return;
        auto it = in.find(name);
        if (it == in.end()) return void(error = fmt::format("\"{}\" is missing", name));
        into(*it, value);
        if (!error.empty()) error = fmt::format("{}: {}", name, error);
    }

    template <class Tag>
    void into(const json& in, Quantity<Tag>& q) {
        into(in, q.value);
    }
    template <class Tag>
    void into(const json& in, TimePoint<Tag>& t) {
        into(in, t.ms);
    }
    template <class Tag>
    void into(const json& in, Id<Tag>& id) {
        into(in, id.value);
    }
    template <class Tag>
    void into(const json& in, Name<Tag>& n) {
        into(in, n.value);
    }
    void into(const json& in, Reason& reason) {
        std::string key;
        into(in, key);
        reason = reason_from(key);
        if (error.empty() && to_string(reason) != key)
            error = fmt::format("\"{}\" is no reason", key);
    }
    template <class T>
    void into(const json& in, std::optional<T>& o) {
        if (in.is_null()) return o.reset();
        into(in, o.emplace());
    }
    template <class T>
    void into(const json& in, std::vector<T>& list) {
        if (!in.is_array()) return void(error = "expected a list");
        for (const json& item : in) into(item, list.emplace_back());
    }
    template <class T>
    void into(const json& in, std::set<T>& set) {
        std::vector<T> items;
        into(in, items);
        set.insert(items.begin(), items.end());
    }
    template <class A, class B>
    void into(const json& in, std::pair<A, B>& pair) {
        if (!in.is_array() || in.size() != 2) return void(error = "expected a pair");
        into(in[0], pair.first);
        into(in[1], pair.second);
    }
    template <class K, class T>
    void into(const json& in, std::map<K, T>& map) {
        if (!in.is_array()) return void(error = "expected a list of pairs");
        for (const json& pair : in) {
            if (!pair.is_array() || pair.size() != 2) return void(error = "expected a pair");
            K key;
            into(pair[0], key);
            into(pair[1], map[key]);
        }
    }
    void into(const json& in, Shared<Zone>& zone) {
        size_t place = 0;
        into(in, place);
        if (error.empty() && place >= zones.size())
            error = fmt::format("there is no zone {}", place);
        if (error.empty()) zone = zones[place];
    }
    void into(const json& in, Fleet& fleet) {
        std::vector<Zone> listed;
        field(in, "zones", listed);
        zones.assign(listed.begin(), listed.end());
        Fields reader{in, *this};
        fields(reader, fleet);
    }
    template <class... Ts>
    void into(const json& in, std::variant<Ts...>& v) {
        if (!in.is_object()) return void(error = "expected an object");
        std::string is;
        field(in, "is", is);
        if (!error.empty()) return;
        if (!emplace_named(v, is))
            return void(error = fmt::format("\"{}\" is no event or action", is));
        std::visit([&](auto& alternative) { into(in, alternative); }, v);
    }
    template <class T>
    void into(const json& in, T& value) {
        if (!error.empty()) return;
        if constexpr (std::is_enum_v<T>) {
            int number = 0;
            into(in, number);
            value = static_cast<T>(number);
        } else if constexpr (std::is_same_v<T, bool>) {
            if (!in.is_boolean()) return void(error = "expected true or false");
            value = in.get<bool>();
        } else if constexpr (std::is_arithmetic_v<T>) {
            if (!in.is_number_integer()) return void(error = "expected an integer");
            value = in.get<T>();
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (!in.is_string()) return void(error = "expected a string");
            value = in.get<std::string>();
        } else {
            if (!in.is_object()) return void(error = "expected an object");
            Fields reader{in, *this};
            fields(reader, value);
        }
    }

    // Sets v to the alternative whose name is `is`, default-made; false when there is none.
    template <class Variant, size_t I = 0>
    static bool emplace_named(Variant& v, std::string_view is) {
        if constexpr (I == std::variant_size_v<Variant>) {
            return false;
        } else {
            v.template emplace<I>();
            return name_of(v) == is || emplace_named<Variant, I + 1>(v, is);
        }
    }
};

}  // namespace
}  // namespace record

std::string_view name_of(const Action& action) {
    return record::kActions[action.index()];
}
std::string_view name_of(const Event& event) {
    return record::kEvents[event.index()];
}

nlohmann::json to_json(const Decision& decision) {
    record::Write write;
    nlohmann::json out = write.of(decision.action);
    out["why"] = write.of(decision.why);
    return out;
}

std::string encode_cycle(const Cycle& cycle) {
    record::Write write;
    nlohmann::json out;
    out["seen"] = write.of(cycle.seen);
    out["events"] = nlohmann::json::array();
    for (const Event& event : cycle.events) out["events"].push_back(write.of(event));
    out["decisions"] = nlohmann::json::array();
    for (const Decision& d : cycle.decisions) out["decisions"].push_back(write.of(d));
    return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<RecordedCycle> decode_cycle(std::string_view line) {
    auto in = nlohmann::json::parse(line, nullptr, false);
    if (!in.is_object()) return fail(Code::kInvalid, "not a JSON object");
    RecordedCycle cycle;
    record::Read read;
    read.field(in, "seen", cycle.seen);
    read.field(in, "events", cycle.events);
    read.field(in, "decisions", cycle.decisions);
    if (!read.error.empty()) return fail(Code::kInvalid, read.error);
    return cycle;
}

}  // namespace hotdesk
