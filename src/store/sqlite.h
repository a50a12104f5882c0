// SPDX-License-Identifier: MIT
#pragma once
// What store.cc and history.cc share of SQLiteCpp. Not for other folders: exceptions start here.

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "core/why.h"

namespace hotdesk {

// Says what went wrong with which file, how large it is and what its disk has left.
Error describe(const SQLite::Exception& error, const std::string& path);

// Runs `work()` and turns what SQLiteCpp throws into an Error. Returns: what work() returns.
template <class Work>
auto guarded(const std::string& path, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const SQLite::Exception& error) {
        return tl::unexpected(describe(error, path));
    }
}

// Binds values to the statement's ?1, ?2, ... in order.
template <class... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
    int index = 0;
    (statement.bind(++index, values), ...);
}

// A statement that answers no rows, with its values.
template <class... Values>
void execute(SQLite::Database& db, const char* sql, const Values&... values) {
    SQLite::Statement statement(db, sql);
    bind_all(statement, values...);
    statement.exec();
}

inline std::string text_of(std::string_view text) {
    return std::string(text);
}

}  // namespace hotdesk
