// SPDX-License-Identifier: MIT
#include "sim/trace.h"

#include "loop/fields.h"

namespace hotdesk::sim {
namespace {

// Visits the fields of an action and folds each into the hash.
struct Fold {
    uint64_t hash;

    void byte(uint64_t b) { hash = (hash ^ (b & 0xff)) * 0x100000001b3; }
    void number(uint64_t n) {
        for (int i = 0; i < 8; ++i) byte(n >> (8 * i));
    }
    void text(const std::string& s) {
        number(s.size());
        for (char c : s) byte(static_cast<unsigned char>(c));
    }

    template <class Tag>
    void operator()(const char*, const Quantity<Tag>& q) {
        number(static_cast<uint64_t>(q.value));
    }
    template <class Tag>
    void operator()(const char*, const TimePoint<Tag>& t) {
        number(static_cast<uint64_t>(t.ms));
    }
    template <class Tag>
    void operator()(const char*, const Id<Tag>& id) {
        number(id.value);
    }
    template <class Tag>
    void operator()(const char*, const Name<Tag>& name) {
        text(name.value);
    }
    void operator()(const char*, const std::string& s) { text(s); }
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void operator()(const char*,
                                                                           const T& value) {
        number(static_cast<uint64_t>(value));
    }
};

}  // namespace

void TraceHash::add(const Cycle& cycle) {
    Fold fold{hash_};
    for (const Decision& decision : cycle.decisions) {
        fold.number(static_cast<uint64_t>(cycle.seen.now.ms));
        fold.number(decision.action.index());
        std::visit([&](const auto& action) { record::fields(fold, action); }, decision.action);
        record::fields(fold, decision.why);
    }
    hash_ = fold.hash;
}

}  // namespace hotdesk::sim
