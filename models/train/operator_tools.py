# SPDX-License-Identifier: MIT
"""Makes tools, values for their arguments, and the words of a request for them, out of operator_words.py.

Whatever is composed (a name, a pair of verb and object) belongs to train or to held by a hash of its
letters, so that the two can never meet."""
import dataclasses
import random
import zlib

import operator_words as words

HELD_SHARE = 6  # one in six of all combinations
VOWELS = "aeiou"
ONSETS = "b c d f g h j k l m n p r s t v w z br dr gr kl pl st tr".split()
CODAS = ("", "", "", "n", "r", "s", "l", "m", "x")
JSON_TYPES = {"integer": "integer", "port": "integer", "number": "number", "flag": "boolean"}


@dataclasses.dataclass(slots=True)
class Argument:
    name: str
    kind: str
    phrases: tuple = ()    # ways to say it, beside the general ones
    required: bool = True
    choices: tuple = ()

    def schema(self):
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        return {"type": JSON_TYPES.get(self.kind, "string")}


@dataclasses.dataclass(slots=True)
class Tool:
    name: str
    group: str
    thing: str             # what it acts on; (group, thing) says what the tool does
    description: str
    arguments: list
    verbs: tuple = ()      # wordings for a request; empty if `requests` has whole ones
    nouns: tuple = ()
    key: Argument = None   # the argument that names the thing, said right behind it
    is_plural: bool = False
    requests: tuple = ()

    def schema(self):
        return {"type": "function", "function": {
            "name": self.name, "description": self.description,
            "parameters": {"type": "object", "properties": {a.name: a.schema() for a in self.arguments},
                           "required": [a.name for a in self.arguments if a.required]}}}


def with_article(noun):
    return ("an " if noun[0] in "aeiou" and not noun.startswith("us") else "a ") + noun


def plural(noun):
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def is_held(text):
    return zlib.crc32(text.encode()) % HELD_SHARE == 0


def split_phrases(text):
    return tuple(text.split("/")) if text else ()


class Maker:
    """One side of the split, "train" or "held", and the random numbers it draws from."""

    def __init__(self, split, rng):
        self.split, self.held, self.rng, self.random = split, split == "held", rng, rng.random
        objects = {side: [tuple(split_phrases(o.replace("-", " "))) for o in words.OBJECTS[side]] for side in words.OBJECTS}
        self.natural = [self.natural_tool(row) for row in words.NATURAL[split]]
        other = words.NATURAL["train" if self.held else "held"]
        self.foreign_names = {name.replace("_", "") for row in other for name in row[0].split("/")}
        self.verbs = [(group, split_phrases(wordings)) for group, wordings in words.VERBS]
        self.combinations = [
            (group, verbs, nouns) for side in objects for nouns in objects[side] for group, verbs in self.verbs
            if (side == "held" or is_held(group + nouns[0])) == self.held]
        self.by_thing, self.by_group = {}, {}
        for combination in self.combinations:
            self.by_thing.setdefault(combination[2][0], []).append(combination)
            self.by_group.setdefault(combination[0], []).append(combination)

    def pick(self, options):
        return options[int(self.random() * len(options))]

    def chance(self, share):
        return self.random() < share

    def between(self, low, high):
        return low + int(self.random() * (high - low + 1))

    # Values.

    def word(self):
        """A name that no other split uses."""
        while True:
            text = self.pick(ONSETS) + self.pick(VOWELS) + self.pick(CODAS)
            for _ in range(self.between(1, 2)):
                text += self.pick(ONSETS) + self.pick(VOWELS)
            text += self.pick(CODAS)
            if is_held(text) == self.held:
                return text

    def code(self):
        form = self.random()
        if form < 0.4:
            return str(self.between(100, 99999))
        letters = "".join(self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(self.between(1, 3)))
        if form < 0.7:
            return f"{letters}-{self.between(10, 9999)}"
        return f"{letters.lower() if form < 0.8 else letters}{self.between(1, 9)}{self.pick('abcdefgh')}{self.between(1, 99)}"

    def phrase(self):
        parts = [self.pick(words.TEXT_WORDS) for _ in range(self.between(1, 3))]
        if self.chance(0.5):
            parts.insert(self.between(0, len(parts)), self.word())
        if self.chance(0.3):
            parts[0] = parts[0].capitalize()
        return " ".join(parts)

    def path(self):
        parts = [self.pick(("var", "etc", "srv", "home", "tmp", "opt", "data"))] if self.chance(0.6) else []
        parts += [self.word() for _ in range(self.between(1, 2))]
        end = self.pick(("", ".log", ".txt", ".csv", ".conf", ".json", ".md"))
        return ("" if self.chance(0.15) else "/") + "/".join(parts) + end

    def host(self):
        form = self.random()
        if form < 0.5:
            return self.word()
        if form < 0.75:
            return f"{self.word()}-{self.between(1, 99):02}"
        if form < 0.9:
            return f"{self.pick(('db', 'web', 'mail', 'app'))}{self.between(1, 20)}.{self.word()}.net"
        return f"10.{self.between(0, 99)}.{self.between(0, 255)}.{self.between(1, 254)}"

    def number(self):
        whole = self.between(1, 999)
        return whole if self.chance(0.4) else float(f"{whole}.{self.pick('0123456789') if self.chance(0.6) else ''}{self.between(1, 9)}")

    def string(self, kind):
        if kind == "id":
            return self.code()
        if kind in ("text", "title"):
            return self.phrase()
        if kind == "path":
            return self.path()
        if kind == "host":
            return self.host()
        if kind == "date":
            return f"20{self.between(24, 29)}-{self.between(1, 12):02}-{self.between(1, 28):02}"
        if kind == "email":
            return f"{self.word()}@{self.word()}.{self.pick(('org', 'com', 'net'))}"
        if kind == "city":
            return self.word().capitalize() if self.chance(0.8) else f"{self.pick(('New', 'Port', 'Saint'))} {self.word().capitalize()}"
        if kind == "person":
            return f"{self.word().capitalize()} {self.word().capitalize()}" if self.chance(0.5) else self.word().capitalize()
        if kind == "url":
            return f"https://{self.word()}.{self.pick(('org', 'com', 'net'))}/{self.word()}"
        if kind == "channel":
            return ("#" if self.chance(0.5) else "") + self.word()
        if kind == "version":
            return f"{'v' if self.chance(0.3) else ''}{self.between(0, 19)}.{self.between(0, 30)}" + (f".{self.between(0, 9)}" if self.chance(0.5) else "")
        if kind == "query" and self.chance(0.3):
            return self.pick(words.TEXT_WORDS)
        if kind == "state":
            return self.pick(words.STATES[self.split])
        return self.word() if self.chance(0.75) else f"{self.word()}-{self.between(1, 99) if self.chance(0.5) else self.word()}"

    def value(self, argument):
        """A value and how the request says it."""
        kind = argument.kind
        if kind == "flag":
            return self.chance(0.5), ""
        if argument.choices:
            value = self.pick(argument.choices)
            others = split_phrases(words.CHOICES.get(kind, {}).get(value, ""))
            return value, self.pick(others) if others and self.chance(0.35) else value
        if kind == "integer":
            value = self.between(1, 12) if self.chance(0.3) else self.between(1, 999)
            return value, words.NUMBER_WORDS[value] if value <= 12 and self.chance(0.3) else str(value)
        if kind == "port":
            return (value := self.between(20, 9999)), str(value)
        if kind == "number":
            return (value := self.number()), str(value)
        value = self.string(kind)
        quote = self.pick(('"', "'")) if kind == "text" or kind in ("query", "word") and self.chance(0.1) else ""
        return value, quote + value + quote

    def result(self, kind):
        """A value as a tool reports it."""
        if kind == "integer":
            return self.between(0, 12) if self.chance(0.3) else self.between(0, 9999)
        return self.number() if kind == "number" else self.string(kind)

    def list_of_words(self):
        return [self.word() for _ in range(self.between(0, 3))]

    # Arguments and tools.

    def slot_argument(self, slot):
        names, kind, train, held = words.SLOTS[slot]
        argument = Argument(self.pick(names.split("/")), kind, split_phrases(held if self.held else train))
        if kind in words.CHOICES:
            choices = list(words.CHOICES[kind])
            argument.choices = tuple(choices[:self.between(2, len(choices))] if self.chance(0.5) else choices)
        elif kind == "mode":
            argument.choices = tuple({self.word() for _ in range(self.between(2, 3))})
            argument.choices = tuple(sorted(argument.choices))
        return argument

    def flag_argument(self, name):
        true, false = words.FLAGS[name][2:] if self.held else words.FLAGS[name][:2]
        return Argument(name, "flag", (split_phrases(true), split_phrases(false)), required=self.chance(0.4))

    def named_argument(self, name):
        """An argument whose name and type alone tell what goes in."""
        return Argument(name, self.pick(("word", "word", "word", "id", "integer", "number", "path")))

    def extra_arguments(self, count, taken):
        found, slots = [], list(words.SLOTS)
        while len(found) < count:
            form = self.random()
            if form < 0.75:
                slot = self.pick(slots)
                argument = self.slot_argument(slot)
                argument.required = self.chance(0.65)
            elif form < 0.88:
                argument = self.flag_argument(self.pick(tuple(words.FLAGS)))
            else:
                argument = self.named_argument(self.word())
            clashes = form < 0.75 and slot in taken
            if not clashes and argument.name not in taken:
                taken |= {argument.name, slot} if form < 0.75 else {argument.name}
                found.append(argument)
        return found

    def key_argument(self, noun):
        form, stem = self.random(), noun.replace(" ", "_")
        if form < 0.35:
            return Argument(stem, "word")
        if form < 0.5:
            return Argument(self.pick(("name", stem + "_name")), "word")
        if form < 0.62:
            return Argument(self.pick(("number", stem + "_number", "id")), "integer")
        return Argument(self.pick(("id", stem + "_id", stem + "_id")), "id")

    def tool_name(self, verb, noun):
        verb, noun = verb.split(), noun.split()
        form = self.random()
        parts = noun + verb if form < 0.15 else verb + noun
        if form > 0.85:
            return parts[0] + "".join(part.capitalize() for part in parts[1:])
        return ("-" if form > 0.77 else "_").join(parts)

    def composed_tool(self, combination=None, arguments=None, key=True):
        group, verbs, nouns = combination or self.pick(self.combinations)
        verb, noun = self.pick(verbs), self.pick(nouns)
        is_plural = verb in words.PLURAL_VERBS
        key = self.key_argument(self.pick(nouns)) if key and not is_plural and self.chance(0.94) else None
        said = plural(noun) if is_plural else noun
        while (name := self.tool_name(verb, said)).lower().replace("_", "").replace("-", "") in self.foreign_names:
            verb, said = verb + " my", said  # renames the handful that the other side's natural tools have
        described = self.pick(words.DESCRIPTIONS[self.split])
        if is_plural:
            described = described.replace("{a}", "the {s}").replace("one {o}", "all {s}").replace("exactly all", "all")
            described = described.replace("the given {o}", "all {s}").replace("the {o} that was", "the {s} that were")
        first, second = self.pick(verbs), self.pick(nouns)
        description = described.format(V=first[0].upper() + first[1:], v=first, o=second, a=with_article(second), s=plural(second))
        if self.chance(0.2):
            name = self.pick((self.word(), f"{self.word()}_{self.word()}", f"tool_{self.between(1, 99)}{self.pick('abc')}"))
        elif self.chance(0.05):
            description = ""
        taken = {key.name} if key else set()
        for noun in nouns:
            taken.add(noun.replace(" ", "_"))
            taken |= {slot for slot, row in words.SLOTS.items() if noun in row[0].split("/")}
        count = arguments if arguments is not None else self.pick((0, 0, 1, 1, 1, 2, 2, 3))
        extra = self.extra_arguments(max(count, 0 if key else 1 if self.chance(0.7) else 0), taken)
        return Tool(name, group, nouns[0], description, [key, *extra] if key else extra, verbs, nouns, key, is_plural)

    def natural_tool(self, row):
        names, group, thing, description, arguments, requests = row
        found = []
        for text in arguments.split():
            name, _, kind = text.rstrip("?").partition(":")
            slots = [slot for slot, (options, *_) in words.SLOTS.items() if name in options.split("/")]
            if kind:
                argument = Argument(name, kind)
            elif name in words.FLAGS:
                argument = self.flag_argument(name)
            elif slots:
                argument = self.slot_argument(slots[0])
                argument.name = name
                argument.choices = tuple(words.CHOICES.get(argument.kind, ()))
            else:
                argument = Argument(name, "id" if name.endswith("_id") else "word")
            argument.required = not text.endswith("?")
            found.append(argument)
        return Tool(names, group, thing, description, found, requests=split_phrases(requests))

    def any_tool(self):
        if self.chance(0.3):
            tool = self.pick(self.natural)
            return dataclasses.replace(tool, name=self.pick(tool.name.split("/")))
        return self.composed_tool()

    def neighbour(self, tool):
        """A tool that shares the object or the verb with another one."""
        near = self.by_thing.get(tool.thing) if self.chance(0.6) else self.by_group.get(tool.group)
        return self.composed_tool(self.pick(near)) if near else self.any_tool()

    def offer(self, tool, count, with_tool=True):
        """`count` tools of which only `tool` does what it does."""
        offered = [tool] if with_tool else []
        used = {(tool.group, tool.thing)}
        names = {tool.name}
        while len(offered) < count:
            other = self.neighbour(tool) if self.chance(0.6) else self.any_tool()
            if (other.group, other.thing) not in used and other.name not in names:
                used.add((other.group, other.thing))
                names.add(other.name)
                offered.append(other)
        self.rng.shuffle(offered)
        return offered
