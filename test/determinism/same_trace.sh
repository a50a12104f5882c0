#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the policy and the simulator once more with another compiler or optimisation level and
# compares what they decide, seed by seed: same_trace.sh SIM_TRACE SOURCE_DIR WORK_DIR COMPILER FLAG...
# Exits 77 (skipped) when the compiler is not installed.
set -eu
reference=$1 source=$2 work=$3 compiler=$4
shift 4
command -v "$compiler" >/dev/null || { echo "skipped: $compiler is not installed"; exit 77; }
launcher=$(command -v ccache || true)

mkdir -p "$work"
objects=
for file in "$source"/src/base/*.cc "$source"/src/core/*.cc "$source"/src/loop/*.cc "$source"/src/sim/*.cc \
            "$source"/src/config/toml_node.cc \
            "$source"/test/determinism/sim_trace.cc; do
    case $file in *_test.cc) continue ;; esac
    object=$work/$(echo "${file#"$source"/}" | tr / _).o
    $launcher "$compiler" -std=c++20 -DHOTDESK_VERSION=\"same\" "$@" -I"$source/src" -c "$file" -o "$object"
    objects="$objects $object"
done
# shellcheck disable=SC2086
"$compiler" $objects -lfmt -o "$work/sim_trace"

seeds=3 agents=20
"$reference" $seeds $agents all >"$work/expected"
"$reference" $seeds $agents all >"$work/again"
"$work/sim_trace" $seeds $agents all >"$work/got"
diff "$work/expected" "$work/again"
diff "$work/expected" "$work/got"
echo "the same $seeds days with $compiler $*"
