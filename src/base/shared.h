// SPDX-License-Identifier: MIT
#pragma once
// A value that its copies share, for what is large and never changes: the zone of ten thousand
// agents is in memory once. It is still a value: it cannot be modified, and two are equal when what
// they hold is equal, wherever it lies.

#include <memory>
#include <utility>

namespace hotdesk {

// Thread: copies may be held by several.
template <class T>
class Shared {
  public:
    Shared() : Shared(T{}) {}
    Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: a T is one
    Shared(const Shared&) = default;  // declared, so that a move copies and leaves no empty one
    Shared& operator=(const Shared&) = default;
    ~Shared() = default;

    operator const T&() const { return *value_; }  // NOLINT: and may be used as one
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }

    friend bool operator==(const Shared& a, const Shared& b) {
        return a.value_ == b.value_ || *a.value_ == *b.value_;
    }

  private:
    std::shared_ptr<const T> value_;  // never null
};

}  // namespace hotdesk
