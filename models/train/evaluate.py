#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Held-out examples, answered by the real thing: `hotdesk up` with the model, over HTTP, greedy.

    evaluate.py clerk|writer|operator [--model FILE.gguf] [--count N] [--grammar] [--json] [--misses N]

Prints, for each check of the model's data module, the part of the examples that pass it.

Where tools are offered, the chat API holds a call to a grammar: it cannot be anything but JSON for
one of the tools. To see what the model does of its own, the rendered conversation is sent as a plain
completion; --grammar uses the chat API, as agents do."""
import argparse
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models/train"))
import chat  # noqa: E402
import data  # noqa: E402

SEED = 7  # not the seed of the checks during training
PORT = 18111
LONGEST_ANSWER = 400
CONFIG = """
[server]
listen = ["127.0.0.1:{port}"]
state_dir = "{folder}"
[gpu]
device = "none"
[[model]]
name = "nano"
file = "{model}"
placement = "cpu"
ctx = 1024
slots = 1
keep = "always"
"""


def ask(path, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}",
                                     data=json.dumps(body).encode() if body else None,
                                     headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)


@contextlib.contextmanager
def daemon(program, model):
    with tempfile.TemporaryDirectory(prefix="hotdesk-evaluate-") as folder:
        config = pathlib.Path(folder, "hotdesk.toml")
        config.write_text(CONFIG.format(port=PORT, folder=folder, model=model))
        with open(pathlib.Path(folder, "log"), "w") as log:
            up = subprocess.Popen([program, "up", "--config", config], stdout=log, stderr=log)
        try:
            while True:
                if up.poll() is not None:
                    sys.exit(pathlib.Path(folder, "log").read_text())
                with contextlib.suppress(urllib.error.URLError):
                    ask("/v1/models")
                    break
                time.sleep(0.1)
            yield
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait()


def to_openai(messages):
    """Training's short form of a tool call, as OpenAI's API spells it."""
    spelt = []
    for i, message in enumerate(messages):
        message = dict(message)
        if message.get("tool_calls"):
            message["tool_calls"] = [
                {"id": f"call_{i}", "type": "function",
                 "function": {"name": call["name"],
                              "arguments": json.dumps(call["arguments"], ensure_ascii=False)}}
                for call in message["tool_calls"]]
        if message["role"] == "tool":
            message["tool_call_id"] = f"call_{i - 1}"
        spelt.append(message)
    return spelt


def parse_arguments(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def complete(messages, tools, limit):
    body = {"model": "nano", "temperature": 0, "max_tokens": limit, "messages": to_openai(messages)}
    if tools:
        body["tools"] = tools
    return ask("/v1/chat/completions", body)


def prompt_tokens(asked):
    """How long the engine finds the prompt."""
    return complete(asked["messages"], asked["tools"], 1)["usage"]["prompt_tokens"]


def free_answer_to(example):
    prompt = chat.render(example["messages"][:-1], example["tools"], True)
    body = {"model": "nano", "temperature": 0, "max_tokens": LONGEST_ANSWER, "prompt": prompt}
    return chat.read_answer(ask("/v1/completions", body)["choices"][0]["text"])


def answer_to(example):
    whole = complete(example["messages"][:-1], example["tools"], LONGEST_ANSWER)
    message = whole["choices"][0]["message"]
    calls = [{"name": call["function"]["name"],
              "arguments": parse_arguments(call["function"]["arguments"])}
             for call in message.get("tool_calls") or []]
    return {"content": message.get("content") or "", "tool_calls": calls}


def evaluate(name, model, count, program, misses=0, answer=free_answer_to):
    module = data.module(name)
    passed = {}
    with daemon(program, model):
        for example in itertools.islice(module.examples("held", SEED), count):
            got = answer(example)
            scores = module.score(example, got)
            for check, is_passed in scores.items():
                passed[check] = passed.get(check, 0) + is_passed
            if misses and not all(scores.values()):
                misses -= 1
                print(json.dumps({"wanted": example["messages"], "got": got}, indent=1),
                      file=sys.stderr)
    return {check: number / count for check, number in passed.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["clerk", "writer", "operator"])
    parser.add_argument("--model", help="default: the one in models/")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--misses", type=int, default=0, help="show that many wrong answers")
    parser.add_argument("--grammar", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--program", default=os.environ.get("HOTDESK", ROOT / "build/release/hotdesk"))
    given = parser.parse_args()
    model = pathlib.Path(given.model or ROOT / f"models/nano-{given.name}-q8_0.gguf").resolve()
    figures = evaluate(given.name, model, given.count, given.program, given.misses,
                       answer_to if given.grammar else free_answer_to)
    if given.json:
        print(json.dumps({"model": str(model), "count": given.count, **figures}))
        return
    print(f"{model.name}, {given.count} held-out examples")
    for check, part in figures.items():
        print(f"  {check:16} {part:6.1%}")


if __name__ == "__main__":
    main()
