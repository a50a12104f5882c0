# SPDX-License-Identifier: MIT
"""Makes tools, values for their arguments, and the words of a request for them, out of operator_words.py.

Whatever is composed (a name, a pair of verb and object) belongs to train or to held by a hash of its
letters, so that the two can never meet."""
import dataclasses

import operator_natural as natural
import operator_words as words
from operator_values import VOWELS, Values, is_held, split_phrases

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


def bare(name):
    """What is common to restart_service, restart-service and restartService."""
    return name.lower().replace("_", "").replace("-", "")


def natural_rows(split):
    """(names, group and object, arguments, description, requests) of each tool in operator_natural.py."""
    rows = []
    for line in natural.NATURAL[split].strip().splitlines():
        if line.startswith(" "):
            rows[-1][-1] += [request.strip() for request in line.split(" / ")]
        else:
            rows.append([*line.split(" | "), []])
    return rows


class Maker(Values):
    """Makes tools, and finds others to offer beside them."""

    def __init__(self, split, rng):
        super().__init__(split, rng)
        objects = {side: [split_phrases(nouns.replace("-", " ")) for nouns in all_nouns]
                   for side, all_nouns in words.OBJECTS.items()}
        self.natural = [self.natural_tool(*row) for row in natural_rows(split)]
        foreign = natural_rows("train" if self.held else "held")
        self.foreign_names = {bare(name) for names, *_ in foreign for name in names.split("/")}
        self.verbs = [(group, split_phrases(wordings)) for group, wordings in words.VERBS]
        self.combinations = [
            (group, verbs, nouns) for side in objects for nouns in objects[side] for group, verbs in self.verbs
            if (side == "held" or is_held(group + nouns[0])) == self.held]
        self.by_thing, self.by_group = {}, {}
        for combination in self.combinations:
            self.by_thing.setdefault(combination[2][0], []).append(combination)
            self.by_group.setdefault(combination[0], []).append(combination)

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
        name = self.tool_name(verb, said)
        while bare(name) in self.foreign_names:  # the few that the other side's natural tools have
            name = self.word()
        description = self.describe(self.pick(verbs), self.pick(nouns), is_plural)
        if self.chance(0.2):
            number = f"tool_{self.between(1, 99)}{self.pick('abc')}"
            name = self.pick((self.word(), f"{self.word()}_{self.word()}", number))
        elif self.chance(0.05):
            description = ""
        count = arguments if arguments is not None else self.pick((0, 0, 1, 1, 1, 2, 2, 3))
        if not key and self.chance(0.7):
            count = max(count, 1)
        extra = self.extra_arguments(count, self.taken_by(nouns, key))
        return Tool(name, group, nouns[0], description, [key, *extra] if key else extra, verbs, nouns, key,
                    is_plural)

    def taken_by(self, nouns, key):
        """Names and slots that no further argument of such a tool may have."""
        names = {noun.replace(" ", "_") for noun in nouns}
        slots = {slot for slot, row in words.SLOTS.items() if names & set(row[0].split("/"))}
        return names | slots | ({key.name} if key else set())

    def describe(self, verb, noun, is_plural):
        form = self.pick((words.PLURAL_DESCRIPTIONS if is_plural else words.DESCRIPTIONS)[self.split])
        return form.format(V=verb[0].upper() + verb[1:], v=verb, o=noun, a=with_article(noun), s=plural(noun))

    def natural_tool(self, names, does, arguments, description, requests):
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
        group, thing = does.split()
        return Tool(names, group, thing, description, found, requests=requests)

    def any_tool(self):
        if self.chance(0.3):
            tool = self.pick(self.natural)
            return dataclasses.replace(tool, name=self.pick(tool.name.split("/")))
        return self.composed_tool()

    def neighbour(self, tool):
        """A tool that shares the object or the verb with another one."""
        near = self.by_thing.get(tool.thing) if self.chance(0.6) else self.by_group.get(tool.group)
        return self.composed_tool(self.pick(near)) if near else self.any_tool()

    def offer(self, tools, count, absent=None):
        """`tools` and others, `count` in all, of which no two do the same, nor what `absent` does."""
        offered, first = list(tools), absent or tools[0]
        used = {(tool.group, tool.thing) for tool in [*tools, first]}
        names = {tool.name for tool in tools}
        while len(offered) < count:
            other = self.neighbour(first) if self.chance(0.6) else self.any_tool()
            if (other.group, other.thing) not in used and other.name not in names:
                used.add((other.group, other.thing))
                names.add(other.name)
                offered.append(other)
        self.rng.shuffle(offered)
        return offered
