# SPDX-License-Identifier: MIT
"""Makes the values of arguments and results: made-up names, codes, paths, dates, numbers.

A made-up name belongs to train or to held by a hash of its letters, so that the two never meet."""
import zlib

import operator_words as words

HELD_SHARE = 6  # one in six of all names and combinations
VOWELS = "aeiou"
ONSETS = "b c d f g h j k l m n p r s t v w z br dr gr kl pl st tr".split()
CODAS = ("", "", "", "n", "r", "s", "l", "m", "x")
CAPITALS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def is_held(text):
    return zlib.crc32(text.encode()) % HELD_SHARE == 0


def split_phrases(text):
    return tuple(text.split("/")) if text else ()


class Values:
    """One side of the split, "train" or "held", and the random numbers it draws from."""

    def __init__(self, split, rng):
        self.split, self.held, self.rng, self.random = split, split == "held", rng, rng.random
        self.makers = {
            "id": self.code, "text": self.text, "path": self.path, "host": self.host, "date": self.date,
            "email": self.email, "city": self.city, "person": self.person, "url": self.url,
            "channel": self.channel, "version": self.version, "query": self.query, "state": self.state,
            "list": self.names, "number": self.number, "port": lambda: self.between(20, 9999),
            "bool": lambda: self.chance(0.5)}

    def pick(self, options):
        return options[int(self.random() * len(options))]

    def chance(self, share):
        return self.random() < share

    def between(self, low, high):
        return low + int(self.random() * (high - low + 1))

    def word(self):
        while True:
            text = self.pick(ONSETS) + self.pick(VOWELS) + self.pick(CODAS)
            for _ in range(self.between(1, 2)):
                text += self.pick(ONSETS) + self.pick(VOWELS)
            text += self.pick(CODAS)
            if is_held(text) == self.held:
                return text

    def name(self):
        if self.chance(0.75):
            return self.word()
        return f"{self.word()}-{self.between(1, 99) if self.chance(0.5) else self.word()}"

    def names(self):
        return [self.word() for _ in range(self.between(0, 3))]

    def code(self):
        form = self.random()
        if form < 0.4:
            return str(self.between(100, 99999))
        letters = "".join(self.pick(CAPITALS) for _ in range(self.between(1, 3)))
        if form < 0.7:
            return f"{letters}-{self.between(10, 9999)}"
        if form < 0.8:
            letters = letters.lower()
        return f"{letters}{self.between(1, 9)}{self.pick('abcdefgh')}{self.between(1, 99)}"

    def text(self):
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

    def domain(self):
        return f"{self.word()}.{self.pick(('org', 'com', 'net'))}"

    def email(self):
        return f"{self.word()}@{self.domain()}"

    def url(self):
        return f"https://{self.domain()}/{self.word()}"

    def date(self):
        return f"20{self.between(24, 29)}-{self.between(1, 12):02}-{self.between(1, 28):02}"

    def city(self):
        name = self.word().capitalize()
        return name if self.chance(0.8) else f"{self.pick(('New', 'Port', 'Saint'))} {name}"

    def person(self):
        return " ".join(self.word().capitalize() for _ in range(self.between(1, 2)))

    def channel(self):
        return ("#" if self.chance(0.5) else "") + self.word()

    def version(self):
        parts = [str(self.between(0, 30)) for _ in range(self.between(2, 3))]
        return ("v" if self.chance(0.3) else "") + ".".join(parts)

    def query(self):
        return self.pick(words.TEXT_WORDS) if self.chance(0.3) else self.word()

    def state(self):
        return self.pick(words.STATES[self.split])

    def number(self):
        """Never with a final zero, which JSON would drop."""
        whole = self.between(1, 999)
        if self.chance(0.4):
            return whole
        tenths = "" if self.chance(0.4) else self.between(0, 9)
        return float(f"{whole}.{tenths}{self.between(1, 9)}")

    def make(self, kind):
        return self.makers.get(kind, self.name)()

    def value(self, argument):
        """A value for an argument, and how the request says it. A flag is said by its phrase alone."""
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
        value = self.make(kind)
        is_quoted = kind == "text" or kind in ("query", "word") and self.chance(0.1)
        quote = self.pick(('"', "'")) if is_quoted else ""
        return value, f"{quote}{value}{quote}"

    def result(self, kind):
        """A value as a tool reports it."""
        if kind == "integer":
            return self.between(0, 12) if self.chance(0.3) else self.between(0, 9999)
        return self.make(kind)
