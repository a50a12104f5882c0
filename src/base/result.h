// SPDX-License-Identifier: MIT
#pragma once
// Result<T> carries an expected failure in the signature: what callers branch on (Code) and a
// message that says what, which and how much. Broken invariants are HD_CHECK, not a Result.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace hotdesk {

// What a caller can do about a failure; the message says the rest.
enum class Code {
    kInvalid,      // the input is wrong: mend it (exit 65 or 78, HTTP 400)
    kNotFound,     // no such agent, run, model or file (exit 66, HTTP 404)
    kBusy,         // somebody else has it: wait or come back (exit 75, HTTP 429)
    kTimeout,      // a bound on waiting was reached (exit 75, HTTP 504)
    kDenied,       // permission or policy forbids it (exit 77, HTTP 403)
    kNoSpace,      // memory, disk or budget is too small (exit 73, HTTP 507)
    kUnavailable,  // the other side is not there, or died (exit 69, HTTP 503)
    kInternal,     // ours: a bug, or the machine misbehaves (exit 70, HTTP 500)
};

// The code as it is written in JSON and logs: "invalid", "not_found", ...
std::string_view to_string(Code code);

struct Error {
    Code code = Code::kInternal;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Code code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace hotdesk

#define HD_CONCAT_(a, b) a##b
#define HD_CONCAT(a, b) HD_CONCAT_(a, b)

// HD_TRY(auto meta, read_gguf(path)); declares `meta` or returns the error to the caller.
// Stands on its own line, inside braces.
#define HD_TRY(decl, expr)                                                      \
    auto HD_CONCAT(hd_try_, __LINE__) = (expr);                                 \
    if (!HD_CONCAT(hd_try_, __LINE__))                                          \
        return tl::unexpected(std::move(HD_CONCAT(hd_try_, __LINE__)).error()); \
    decl = std::move(*HD_CONCAT(hd_try_, __LINE__))

// HD_TRY_VOID(expr); for a Status: returns the error, else goes on.
#define HD_TRY_VOID(expr)                                                          \
    if (auto HD_CONCAT(hd_try_, __LINE__) = (expr); !HD_CONCAT(hd_try_, __LINE__)) \
    return tl::unexpected(std::move(HD_CONCAT(hd_try_, __LINE__)).error())
