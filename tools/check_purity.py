#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that an object or archive asks the system for nothing: check_purity.py FILE...

Time, chance, files, the environment, threads and logs reach the decisions as values. So the objects
of core and loop may leave these symbols undefined and no others: our own, the C++ library's containers
and strings, fmt, the JSON parser, memory, and what the compiler adds."""
import re
import subprocess
import sys

ALLOWED = re.compile(
    r"hotdesk::|(typeinfo|vtable|guard variable|VTT|construction vtable).*"
    r"|.*\bfmt::v\d+::|.*\bnlohmann::"
    r"|.*\bstd::(__cxx11::)?(basic_string|to_string|_Rb_tree|_Hash|__throw_|__detail::|vector|map|function|allocator"
    r"|exception|bad_|logic_error|runtime_error|length_error|out_of_range|locale|ctype|terminate|from_chars|__to_chars)"
    r"|operator (new|delete)|std::operator"
    r"|(mem(cpy|move|set|cmp|chr)|strlen|strcmp|bcmp|abort|isspace|isalnum|tolower|snprintf|localeconv|strto(ll|ull|d))$"
    r"|__(assert_fail|libc_single_threaded|cxa|gxx|stack_chk|dso_handle|asan|ubsan|tsan|errno_location|udiv|mul|popcount|clz|ctz)"
    r"|_(Unwind_|GLOBAL_OFFSET_TABLE_)|__static_initialization"
)
# Never, even where a container would drag it in.
FORBIDDEN = re.compile(
    r"(clock_|gettimeofday|time$|getenv|secure_getenv|setenv|f?open(64|at)?$|fopen|read$|write$|socket|pthread_"
    r"|rand(om)?$|srand|getrandom|printf$|puts$|syslog|usleep|nanosleep)"
    r"|std::(chrono::_V2|this_thread|thread|mutex|condition_variable|random_device|basic_[io]?f?stream|cout|cerr|clog)"
    r"|spdlog"
)


def undefined_symbols(path):
    text = subprocess.run(["nm", "-u", "-C", path], check=True, capture_output=True, text=True).stdout
    return sorted({line.split(None, 1)[1] for line in text.splitlines() if re.match(r"\s+[UwW] ", line)})


impure = [
    f"{path}: {symbol}"
    for path in sys.argv[1:]
    for symbol in undefined_symbols(path)
    if symbol != "snprintf" and (FORBIDDEN.search(symbol) or not ALLOWED.match(symbol))
]
print("\n".join(impure) if impure else "nothing but memory and our own functions")
sys.exit(1 if impure else 0)
