// SPDX-License-Identifier: MIT
#include "wire/frames.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace hotdesk::wire {
namespace {

using nlohmann::json;

constexpr std::array kCallKinds = {std::pair{CallKind::kChat, "chat"},
                                   std::pair{CallKind::kCompletion, "completion"},
                                   std::pair{CallKind::kEmbedding, "embedding"}};

constexpr std::array kCodes = {Code::kInvalid,     Code::kNotFound, Code::kBusy,
                               Code::kTimeout,     Code::kDenied,   Code::kNoSpace,
                               Code::kUnavailable, Code::kInternal};

std::string_view kind_name(CallKind kind) {
    for (const auto& [value, name] : kCallKinds)
        if (value == kind) return name;
    return "chat";
}

std::string to_line(const json& frame) {
    // Text that a model made up may be cut inside a character; U+FFFD takes its place.
    return frame.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

// ---- encode ------------------------------------------------------------------------------------

json error_json(const Error& error) {
    return {{"code", to_string(error.code)}, {"message", error.message}};
}

json to_json(const Generate& f) {
    return {{"frame", "generate"},
            {"id", f.id},
            {"kind", kind_name(f.kind)},
            {"context", f.context},
            {"body", f.body}};
}
json to_json(const Cancel& f) {
    return {{"frame", "cancel"}, {"id", f.id}};
}
json to_json(const Park& f) {
    return {{"frame", "park"}, {"context", f.context}, {"path", f.path}};
}
json to_json(const Restore& f) {
    return {{"frame", "restore"}, {"context", f.context}, {"path", f.path}};
}
json to_json(const Drop& f) {
    return {{"frame", "drop"}, {"context", f.context}};
}
json to_json(const AskStats&) {
    return {{"frame", "ask_stats"}};
}
json to_json(const Quit&) {
    return {{"frame", "quit"}};
}

json to_json(const Loading& f) {
    return {{"frame", "loading"}, {"permille", f.permille}};
}
json to_json(const Ready& f) {
    return {{"frame", "ready"},
            {"device_bytes", f.device_bytes.value},
            {"host_bytes", f.host_bytes.value},
            {"context", f.context.value},
            {"slots", f.slots},
            {"layers", f.layers},
            {"layers_on_device", f.layers_on_device},
            {"engine", f.engine}};
}
json to_json(const LoadFailed& f) {
    return {{"frame", "load_failed"}, {"error", error_json(f.error)}};
}
json to_json(const Delta& f) {
    json out = {{"frame", "delta"}, {"id", f.id}, {"delta", f.delta}};
    if (!f.logprobs.is_null()) out["logprobs"] = f.logprobs;
    return out;
}
json to_json(const Finished& f) {
    json out = {{"frame", "finished"},
                {"id", f.id},
                {"finish_reason", f.finish_reason},
                {"prompt", f.prompt.value},
                {"cached", f.cached.value},
                {"completion", f.completion.value},
                {"prefill_ms", f.prefill.value},
                {"decode_ms", f.decode.value}};
    if (!f.embedding.is_null()) out["embedding"] = f.embedding;
    return out;
}
json to_json(const Broken& f) {
    return {{"frame", "broken"},
            {"id", f.id},
            {"error", error_json(f.error)},
            {"reason", f.reason},
            {"numbers", f.numbers}};
}
json to_json(const Parked& f) {
    return {{"frame", "parked"},
            {"context", f.context},
            {"bytes", f.bytes.value},
            {"tokens", f.tokens.value}};
}
json to_json(const Restored& f) {
    return {{"frame", "restored"}, {"context", f.context}, {"tokens", f.tokens.value}};
}
json to_json(const ContextFailed& f) {
    return {{"frame", "context_failed"}, {"context", f.context}, {"error", error_json(f.error)}};
}
json to_json(const Stats& f) {
    return {{"frame", "stats"},
            {"running", f.running},
            {"waiting", f.waiting},
            {"cells_used", f.cells_used.value},
            {"cells", f.cells.value},
            {"contexts", f.contexts},
            {"prefill_tokens", f.prefill_tokens},
            {"decode_tokens", f.decode_tokens},
            {"cached_tokens", f.cached_tokens}};
}

// ---- decode ------------------------------------------------------------------------------------

// Reads the keys of one frame. The first key that is missing or has another type is remembered,
// later reads give empty values; the caller asks once, at the end.
class Reader {
  public:
    explicit Reader(const json& frame) : frame_(frame) {}

    std::string text(const char* key) {
        const json* value = find(key, &json::is_string, "a string");
        return value ? value->get<std::string>() : std::string{};
    }
    template <class Int>
    Int integer(const char* key) {
        const json* value = find(key, &json::is_number_integer, "an integer");
        if (!value) return 0;
        if (!fits<Int>(*value)) {
            complain(fmt::format("\"{}\" is {}, out of range", key, value->dump()));
            return 0;
        }
        return value->get<Int>();
    }
    template <class Unit>
    Unit quantity(const char* key) {
        return Unit{integer<int64_t>(key)};
    }

    json object(const char* key) {
        const json* value = find(key, &json::is_object, "an object");
        return value ? *value : json::object();
    }
    // Null when the key is absent.
    json any(const char* key) const {
        const auto it = frame_.find(key);
        return it == frame_.end() ? json() : *it;
    }
    Error error(const char* key) {
        const json inner = object(key);
        Reader reader(inner);
        Error out{code(reader.text("code")), reader.text("message")};
        if (!reader.problem_.empty()) complain(fmt::format("\"{}\": {}", key, reader.problem_));
        return out;
    }
    CallKind kind(const char* key) {
        const std::string name = text(key);
        for (const auto& [value, known] : kCallKinds)
            if (name == known) return value;
        complain(fmt::format("\"{}\" is \"{}\", not chat, completion or embedding", key, name));
        return CallKind::kChat;
    }
    const std::string& problem() const { return problem_; }

  private:
    template <class Int>
    static bool fits(const json& value) {
        if (value.is_number_unsigned()) {
            return value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<Int>::max());
        }
        const int64_t number = value.get<int64_t>();  // negative, else it were unsigned
        return std::is_signed_v<Int> &&
               number >= static_cast<int64_t>(std::numeric_limits<Int>::min());
    }
    Code code(const std::string& name) {
        for (const Code known : kCodes)
            if (name == to_string(known)) return known;
        complain(fmt::format("\"code\" is \"{}\", which is none of ours", name));
        return Code::kInternal;
    }
    const json* find(const char* key, bool (json::*is_type)() const noexcept, const char* type) {
        const auto it = frame_.find(key);
        if (it == frame_.end()) {
            complain(fmt::format("\"{}\" is missing", key));
            return nullptr;
        }
        if (!((*it).*is_type)()) {
            complain(fmt::format("\"{}\" is {} and not {}", key, it->type_name(), type));
            return nullptr;
        }
        return &*it;
    }
    void complain(std::string what) {
        if (problem_.empty()) problem_ = std::move(what);
    }

    const json& frame_;
    std::string problem_;
};

template <class Frame>
Frame read(Reader& r);

template <>
Generate read(Reader& r) {
    return {r.integer<uint64_t>("id"), r.kind("kind"), r.text("context"), r.object("body")};
}
template <>
Cancel read(Reader& r) {
    return {r.integer<uint64_t>("id")};
}
template <>
Park read(Reader& r) {
    return {r.text("context"), r.text("path")};
}
template <>
Restore read(Reader& r) {
    return {r.text("context"), r.text("path")};
}
template <>
Drop read(Reader& r) {
    return {r.text("context")};
}
template <>
AskStats read(Reader&) {
    return {};
}
template <>
Quit read(Reader&) {
    return {};
}
template <>
Loading read(Reader& r) {
    return {r.integer<int>("permille")};
}
template <>
Ready read(Reader& r) {
    return {.device_bytes = r.quantity<Bytes>("device_bytes"),
            .host_bytes = r.quantity<Bytes>("host_bytes"),
            .context = r.quantity<Tokens>("context"),
            .slots = r.integer<int>("slots"),
            .layers = r.integer<int>("layers"),
            .layers_on_device = r.integer<int>("layers_on_device"),
            .engine = r.text("engine")};
}
template <>
LoadFailed read(Reader& r) {
    return {r.error("error")};
}
template <>
Delta read(Reader& r) {
    return {r.integer<uint64_t>("id"), r.object("delta"), r.any("logprobs")};
}
template <>
Finished read(Reader& r) {
    return {.id = r.integer<uint64_t>("id"),
            .finish_reason = r.text("finish_reason"),
            .prompt = r.quantity<Tokens>("prompt"),
            .cached = r.quantity<Tokens>("cached"),
            .completion = r.quantity<Tokens>("completion"),
            .prefill = r.quantity<Millis>("prefill_ms"),
            .decode = r.quantity<Millis>("decode_ms"),
            .embedding = r.any("embedding")};
}
template <>
Broken read(Reader& r) {
    return {r.integer<uint64_t>("id"), r.error("error"), r.text("reason"), r.any("numbers")};
}
template <>
Parked read(Reader& r) {
    return {r.text("context"), r.quantity<Bytes>("bytes"), r.quantity<Tokens>("tokens")};
}
template <>
Restored read(Reader& r) {
    return {r.text("context"), r.quantity<Tokens>("tokens")};
}
template <>
ContextFailed read(Reader& r) {
    return {r.text("context"), r.error("error")};
}
template <>
Stats read(Reader& r) {
    return {.running = r.integer<int>("running"),
            .waiting = r.integer<int>("waiting"),
            .cells_used = r.quantity<Tokens>("cells_used"),
            .cells = r.quantity<Tokens>("cells"),
            .contexts = r.integer<int>("contexts"),
            .prefill_tokens = r.integer<uint64_t>("prefill_tokens"),
            .decode_tokens = r.integer<uint64_t>("decode_tokens"),
            .cached_tokens = r.integer<uint64_t>("cached_tokens")};
}

template <class Any>
struct Entry {
    const char* name;
    Any (*read)(Reader&);
};

template <class Any, class Frame>
Any read_as(Reader& r) {
    return read<Frame>(r);
}

constexpr std::array kToWorker = {
    Entry<ToWorker>{"generate", read_as<ToWorker, Generate>},
    Entry<ToWorker>{"cancel", read_as<ToWorker, Cancel>},
    Entry<ToWorker>{"park", read_as<ToWorker, Park>},
    Entry<ToWorker>{"restore", read_as<ToWorker, Restore>},
    Entry<ToWorker>{"drop", read_as<ToWorker, Drop>},
    Entry<ToWorker>{"ask_stats", read_as<ToWorker, AskStats>},
    Entry<ToWorker>{"quit", read_as<ToWorker, Quit>},
};
constexpr std::array kFromWorker = {
    Entry<FromWorker>{"delta", read_as<FromWorker, Delta>},
    Entry<FromWorker>{"finished", read_as<FromWorker, Finished>},
    Entry<FromWorker>{"loading", read_as<FromWorker, Loading>},
    Entry<FromWorker>{"ready", read_as<FromWorker, Ready>},
    Entry<FromWorker>{"load_failed", read_as<FromWorker, LoadFailed>},
    Entry<FromWorker>{"broken", read_as<FromWorker, Broken>},
    Entry<FromWorker>{"parked", read_as<FromWorker, Parked>},
    Entry<FromWorker>{"restored", read_as<FromWorker, Restored>},
    Entry<FromWorker>{"context_failed", read_as<FromWorker, ContextFailed>},
    Entry<FromWorker>{"stats", read_as<FromWorker, Stats>},
};

template <class Any, size_t N>
Result<Any> decode(std::string_view line, const std::array<Entry<Any>, N>& entries) {
    const json frame = json::parse(line, nullptr, false);
    if (!frame.is_object()) {
        return fail(Code::kInvalid,
                    fmt::format("a frame of {} bytes is not a JSON object", line.size()));
    }
    Reader reader(frame);
    const std::string name = reader.text("frame");
    if (!reader.problem().empty()) return fail(Code::kInvalid, "a frame: " + reader.problem());
    for (const Entry<Any>& entry : entries) {
        if (name != entry.name) continue;
        Any out = entry.read(reader);
        if (reader.problem().empty()) return out;
        return fail(Code::kInvalid, fmt::format("frame \"{}\": {}", name, reader.problem()));
    }
    return fail(Code::kInvalid, fmt::format("frame \"{}\" is not known on this side", name));
}

}  // namespace

std::string encode(const ToWorker& frame) {
    return std::visit([](const auto& f) { return to_line(to_json(f)); }, frame);
}

std::string encode(const FromWorker& frame) {
    return std::visit([](const auto& f) { return to_line(to_json(f)); }, frame);
}

Result<ToWorker> decode_to_worker(std::string_view line) {
    return decode(line, kToWorker);
}

Result<FromWorker> decode_from_worker(std::string_view line) {
    return decode(line, kFromWorker);
}

}  // namespace hotdesk::wire
