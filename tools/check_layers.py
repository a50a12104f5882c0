#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each folder of src/ includes only the folders it may: check_layers.py [SRC].

The table is the one in ARCHITECTURE.md; the order of the rows is the order of the layers."""
import pathlib
import re
import sys

MAY_INCLUDE = {
    "base": "",
    "core": "base",
    "loop": "base core",
    "config": "base core",
    "wire": "base core",
    "os": "base core loop",
    "store": "base core loop",
    "backend": "base core os wire",
    "worker": "base core os wire",
    "sim": "base core loop config",
    "daemon": "base core loop os config store wire backend",
    "cli": "base core loop os config store wire backend daemon sim",
}
ONLY_IN = {"llama.h": ("worker/engine",), "boost/": ("backend/", "daemon/", "cli/"), "SQLiteCpp/": ("store/",)}


def wrong_includes(source):
    for path in sorted(source.rglob("*.cc")) + sorted(source.rglob("*.h")):
        here = path.relative_to(source).as_posix()
        layer = here.split("/")[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
            if not included:
                continue
            name = included.group(1)
            folder = name.split("/")[0]
            if folder in MAY_INCLUDE and folder not in [layer, *MAY_INCLUDE.get(layer, "").split()]:
                yield f"{path}:{number}: {layer} must not include {name}"
            for prefix, homes in ONLY_IN.items():
                if name.startswith(prefix) and not here.startswith(homes):
                    yield f"{path}:{number}: only {' '.join(homes)} may include {name}"


errors = list(wrong_includes(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")))
print("\n".join(errors) if errors else "every include follows the layers")
sys.exit(1 if errors else 0)
