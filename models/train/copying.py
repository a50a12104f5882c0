# SPDX-License-Identifier: MIT
"""Drills in copying strings that were never seen, which all three models need before anything else:
repeat a string, look one up, put several into a call or a sentence, in another order."""
import itertools
import random

EASY = 1500  # examples that only repeat, before the others begin
CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"
VERBS = ["Repeat", "Say", "Copy", "Echo", "Write"]


def word(rng):
    syllables = rng.randint(1, 4)
    text = "".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) + rng.choice(["", "", "n", "r", "s", "l"])
                   for _ in range(syllables))
    return text.capitalize() if rng.random() < 0.4 else text


def number(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return str(rng.randint(0, 99))
    if kind == 1:
        return str(rng.randint(100, 99999))
    if kind == 2:
        return f"{rng.randint(0, 999)}.{rng.randint(0, 99)}"
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}"


def code(rng):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    part = lambda: "".join(rng.choice(letters + "0123456789") for _ in range(rng.randint(1, 5)))
    return rng.choice("-_./@").join(part() for _ in range(rng.randint(1, 3)))


def string(rng):
    kind = rng.random()
    if kind < 0.35:
        return word(rng)
    if kind < 0.55:
        return number(rng)
    if kind < 0.75:
        return code(rng)
    return " ".join(word(rng) for _ in range(rng.randint(2, 4)))


def names(rng, count):
    found = []
    while len(found) < count:
        name = word(rng).lower()
        if name not in found:
            found.append(name)
    return found


def repeat(rng):
    text = " ".join(string(rng) for _ in range(rng.randint(1, 5)))
    return [{"role": "user", "content": f"{rng.choice(VERBS)}: {text}"},
            {"role": "assistant", "content": text}], []


def look_up(rng):
    keys = names(rng, rng.randint(2, 6))
    facts = {key: string(rng) for key in keys}
    asked = rng.sample(keys, rng.randint(1, min(3, len(keys))))
    join, stop = rng.choice([": ", " = ", " is "]), rng.choice(["\n", "; ", ", "])
    listed = stop.join(key + join + facts[key] for key in keys)
    return [{"role": "user", "content": f"{listed}\n{' '.join(asked)}?"},
            {"role": "assistant", "content": stop.join(facts[key] for key in asked)}], []


def sentence(rng):
    keys = names(rng, rng.randint(2, 5))
    facts = {key: string(rng) for key in keys}
    listed = "\n".join(f"{key}: {facts[key]}" for key in keys)
    told = rng.sample(keys, len(keys))
    return [{"role": "user", "content": f"{listed}\nTell all of {', '.join(told)}."},
            {"role": "assistant", "content": "; ".join(f"{key} is {facts[key]}" for key in told) + "."}], []


def call(rng):
    tools, wanted = [], rng.randrange(3)
    for i, name in enumerate(names(rng, rng.randint(wanted + 1, 3))):
        fields = names(rng, rng.randint(1, 3))
        tools.append({"type": "function", "function": {
            "name": name, "description": " ".join(names(rng, rng.randint(1, 3))),
            "parameters": {"type": "object", "required": fields,
                           "properties": {field: {"type": "string"} for field in fields}}}})
        if i == wanted:
            arguments = {field: string(rng) for field in fields}
            chosen = name
    said = rng.sample(sorted(arguments), len(arguments))
    asked = ", ".join(f"{field} {arguments[field]}" for field in said)
    return [{"role": "user", "content": f"{chosen} with {asked}"},
            {"role": "assistant", "content": "",
             "tool_calls": [{"name": chosen, "arguments": arguments}]}], tools


def examples(split, seed):
    rng = random.Random(f"copying {split} {seed}")
    for i in itertools.count():
        easy = i < EASY or rng.random() < 0.3
        drill = repeat if easy else rng.choices([look_up, sentence, call], [3, 2, 3])[0]
        messages, tools = drill(rng)
        yield {"messages": messages, "tools": tools, "check": {}}


def score(example, answer):
    last = example["messages"][-1]
    return {"exact": answer["content"] == last["content"].strip()
            and answer["tool_calls"] == last.get("tool_calls", [])}
