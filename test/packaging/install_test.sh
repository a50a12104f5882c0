#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed runs from there, with nothing of the build directory: install_test.sh CMAKE BUILD
set -eu
cmake=$1 build=$2
prefix=$(mktemp -d "${TMPDIR:-/tmp}/hotdesk-install-XXXXXX")
trap 'rm -rf "$prefix"' EXIT
say() { echo "install: $*" >&2; }

"$cmake" --install "$build" --prefix "$prefix/first" >"$prefix/log" || { cat "$prefix/log" >&2; exit 1; }
mv "$prefix/first" "$prefix/moved"
home=$prefix/moved/lib/hotdesk

env -i "$prefix/moved/bin/hotdesk" --version
[ -f "$home/share/hotdesk/demo/agent.py" ] || { say "the demo has no agent"; exit 1; }
[ -x "$home/hotdesk-worker" ] || { say "built without a worker: nothing more to see"; exit 0; }

for program in hotdesk-worker hotdesk-mkmodel; do
    env -i "$home/$program" --help >/dev/null
    env -i ldd "$home/$program" | grep -E 'lib(ggml|llama)' | grep -v "$home/" &&
        { say "$program takes an engine from elsewhere"; exit 1; }
done
for library in "$home"/lib*.so*; do
    readelf -d "$library" | grep -E 'R(UN)?PATH' | grep -v 'ORIGIN' &&
        { say "$library looks for others elsewhere"; exit 1; }
done

# A model that is made there answers there: the CPU backends are found too.
env -i "$home/hotdesk-mkmodel" "$prefix/m.gguf" --quiet --layers=1 --embd=64 --heads=2 --heads-kv=2 --ff=64
echo '{"messages": [{"role": "user", "content": "hi"}], "max_tokens": 1}' |
    env -i "$home/hotdesk-worker" --model "$prefix/m.gguf" --once >"$prefix/answer"
grep -q '"choices"' "$prefix/answer" || { cat "$prefix/answer" >&2; exit 1; }
say "runs from $home"
