#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Does the engine see the tokens that were trained on? prompt_check.py NAME --model FILE.gguf

Asks `hotdesk up` for one token after each of many prompts, held-out conversations and random
strings, and compares the length it reports with tokenizer.py's of chat.py's rendering."""
import argparse
import itertools
import json
import os
import pathlib
import random
import sys

import chat
import data
import evaluate
import tokenizer as tokenizers

ALPHABET = [chr(c) for c in range(32, 127)] * 3 + list("\n\n\t  éßñ中文²½٣😀—“”’…\u00a0")


def random_strings(count):
    rng = random.Random(1)
    for _ in range(count):
        text = "".join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 60)))
        yield {"messages": [{"role": "user", "content": text}], "tools": []}


def conversations(name, count):
    for example in itertools.islice(data.module(name).examples("held", 3), count):
        # The worker's JSON library sorts the fields of an object.
        tools = json.loads(json.dumps(example["tools"], sort_keys=True))
        yield {"messages": example["messages"][:-1], "tools": tools}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["clerk", "writer", "operator"])
    parser.add_argument("--model", required=True)
    parser.add_argument("--program", default=os.environ.get(
        "HOTDESK", evaluate.ROOT / "build/release/hotdesk"))
    given = parser.parse_args()
    tokenizer = tokenizers.load()
    wrong = checked = 0
    with evaluate.daemon(given.program, pathlib.Path(given.model).resolve()):
        for asked in itertools.chain(conversations(given.name, 100), random_strings(1000)):
            ours = len(tokenizer.encode(chat.render(asked["messages"], asked["tools"], True)))
            theirs = evaluate.prompt_tokens(asked)
            checked += 1
            if ours != theirs:
                wrong += 1
                print(f"{ours} tokens here, {theirs} there: {asked}", file=sys.stderr)
    print(f"{checked - wrong} of {checked} prompts have the same length in the engine")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
