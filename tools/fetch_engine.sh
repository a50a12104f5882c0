#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches the engine: prebuilt llama.cpp libraries and the source of the same tag, both from npm
# packages that are pinned by their sha512.
#   tools/fetch_engine.sh DIR
# makes DIR/cpu (the libraries) and DIR/llama.cpp (headers, vocabularies, source). Safe to run again
# and to interrupt: DIR/stamp is written last, and a finished DIR is left alone.
set -eu

VERSION=3.21.1
LIBS_SHA512=4e8b63e914c3306a371682b6c8d51acffa069990f4a2502a4eb465b855169aed245b68bd4cecc7496d0e5820221a4cd10955f45ac5360b2510a3f5b6358b5d3c
SOURCE_SHA512=13737412fd956b4c33c9dbd7605c0cf47bf2a34ecfa168edf13ffd18c738dc2bedf18915fcd53fb5852010c0b582b4cfbf6a3d3d18d08b41b759be4ffdac2232
STAMP="engine $VERSION $LIBS_SHA512 $SOURCE_SHA512"

say() { echo "engine: $*" >&2; }
die() { say "$*"; exit 1; }

# need TOOL PACKAGE
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing; install it with: apt-get install $2"; }

# fetch PACKAGE FILE SHA512: into the current directory. A second try, because registries hiccup.
fetch() {
    say "fetching $1@$VERSION"
    npm pack --silent "$1@$VERSION" >/dev/null 2>npm.log || {
        say "npm failed, trying once more"
        npm pack --silent "$1@$VERSION" >/dev/null 2>npm.log ||
            die "npm pack $1@$VERSION failed: $(tail -n 3 npm.log)"
    }
    [ -f "$2" ] || die "npm pack $1 left no $2"
    actual=$(sha512sum "$2" | cut -d ' ' -f 1)
    [ "$actual" = "$3" ] || die "$2 is not the file that was pinned: its sha512 is $actual, expected $3"
}

[ $# -eq 1 ] || { echo "usage: tools/fetch_engine.sh DIR" >&2; exit 64; }
mkdir -p "$1" || die "cannot make $1"
dir=$(cd "$1" && pwd)
if [ "$(cat "$dir/stamp" 2>/dev/null || true)" = "$STAMP" ]; then
    say "$VERSION is in $dir"
    exit 0
fi
need npm npm
need git git
need tar tar
need sha512sum coreutils

# The work is done beside its place, so that each part arrives whole by one rename.
tmp=$(mktemp -d "$dir/fetch.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp"
fetch @node-llama-cpp/linux-x64 "node-llama-cpp-linux-x64-$VERSION.tgz" "$LIBS_SHA512"
fetch node-llama-cpp "node-llama-cpp-$VERSION.tgz" "$SOURCE_SHA512"

say "unpacking"
mkdir cpu source
tar -xzf "node-llama-cpp-linux-x64-$VERSION.tgz" -C cpu --strip-components=1
tar -xzf "node-llama-cpp-$VERSION.tgz" -C source package/llama/gitRelease.bundle
git -c advice.detachedHead=false clone --quiet source/package/llama/gitRelease.bundle \
    llama.cpp 2>git.log || die "cannot clone the source bundle: $(tail -n 3 git.log)"
[ -f cpu/bins/linux-x64/libggml-base.so ] || die "the package holds no libggml-base.so"
[ -f llama.cpp/include/llama.h ] || die "the bundle holds no include/llama.h"

rm -rf "$dir/stamp" "$dir/cpu" "$dir/llama.cpp"
mv cpu llama.cpp "$dir/"
echo "$STAMP" >"$dir/stamp"
say "$VERSION is in $dir"
