# SPDX-License-Identifier: MIT
"""Random words, names, values and facts for writer.py. Names, and some keys and units, are made of
syllables: a model cannot know them and has to copy. The two splits share no syllable."""
import random
import re

import writer_words as words

SEED_OF_SYLLABLES = 5
OPEN_SHARE = 12  # an open syllable ("ta") is drawn as often as 12 closed ones ("tan"): easier to read


def split_syllables():
    opened = [onset + vowel for onset in words.ONSETS for vowel in words.VOWELS]
    closed = [start + coda for start in opened for coda in words.CODAS]
    rng = random.Random(SEED_OF_SYLLABLES)
    parts = {"train": [], "held": []}
    for syllables, share in ((opened, OPEN_SHARE), (closed, 1)):
        rng.shuffle(syllables)
        cut = len(syllables) // 5
        parts["held"] += syllables[:cut] * share
        parts["train"] += syllables[cut:] * share
    return parts


SYLLABLES = split_syllables()


def key_of(thing):
    return thing[0] if isinstance(thing, tuple) else thing


def overlaps(one, other):
    """Whether one of two keys is part of the other, as "orders" is of "orders late"."""
    one, other = one.lower(), other.lower()
    return one in other or other in one


class Draw:
    """Draws from the tables of one split."""

    def __init__(self, split, rng):
        self.split, self.rng = split, rng
        self.makers = {"s": self.place, "p": self.person, "c": self.cause, "n": self.integer, "a": self.count_key,
                       "d": lambda: str(self.rng.randint(1, 20)), "f": lambda: " ".join(self.figure()),
                       "b": lambda: self.pick(words.STATES)}

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, table):
        """One of a list, or of this split's list in a table."""
        return self.rng.choice(table[self.split] if isinstance(table, dict) else table)

    def several(self, make, count):
        """`count` things, or facts, that nobody can mix up."""
        found = []
        while len(found) < count:
            thing = make()
            if not any(overlaps(key_of(thing), key_of(other)) for other in found):
                found.append(thing)
        return found

    def fill(self, template):
        """The template with a drawing for each {letter}, and the first drawing of {s}."""
        drawn = [(slot, self.makers[slot]()) for slot in re.findall(r"\{(\w)\}", template)]
        values = iter(drawn)
        text = re.sub(r"\{\w\}", lambda _: next(values)[1], template)
        return text, next((value for slot, value in drawn if slot == "s"), "")

    def word(self):
        count = self.rng.choices([1, 2, 3], [1, 6, 2])[0]
        text = "".join(self.pick(SYLLABLES) for _ in range(count))
        return text if self.chance(0.97) else text.replace("u", "ü").replace("o", "ö").replace("e", "é")

    def name(self):
        return self.word().capitalize()

    def person(self):
        return f"{self.name()} {self.name()}"

    def firm(self):
        return f"{self.name()} {self.pick(words.FIRM_ENDS)}"

    def place(self):
        """What is reported on: a service, a host, a shop, a team."""
        end = self.pick(words.PLACE_ENDS)
        if self.chance(0.15):
            start = self.pick(words.THINGS)
        else:
            start = self.word() if end.startswith("-") or self.chance(0.3) else self.name()
        if not end and self.chance(0.25):
            end = f"{self.pick(['-', ''])}{self.rng.randint(1, 40)}"
        return start + end

    def integer(self):
        digits = self.rng.choices([1, 2, 3, 4, 5], [4, 6, 6, 3, 2])[0]
        return str(self.rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10 ** digits))

    def decimal(self):
        return f"{self.rng.randint(0, 999)}.{self.rng.randint(0, 99 if self.chance(0.4) else 9)}"

    def amount(self):
        kind = self.rng.random()
        if kind < 0.75:
            return self.integer()
        return self.decimal() if kind < 0.95 else f"{self.rng.randint(1, 99)},{self.rng.randint(0, 999):03}"

    def quantity(self, unit):
        if unit not in ("percent", "%", "C"):
            return f"{self.amount()} {unit}".strip()
        amount = str(self.rng.randint(0, 100)) if self.chance(0.7) else f"{self.rng.uniform(0, 100):.1f}"
        if unit == "C" and self.chance(0.3):
            amount = "-" + amount
        return amount + unit if unit == "%" else f"{amount} {unit}"

    def time(self):
        return f"{self.rng.randint(0, 23):02}:{self.rng.randint(0, 59):02}"

    def date(self):
        if self.chance(0.15):
            return f"2026-{self.rng.randint(1, 12):02}-{self.rng.randint(1, 28):02}"
        return f"{self.rng.randint(1, 28)} {self.pick(words.MONTHS)}"

    def cause(self):
        text = f"{self.pick(words.ADJECTIVES)} {self.pick(words.THINGS)}"
        return f"{text} in {self.place()}" if self.chance(0.2) else text

    def count_key(self):
        key = self.pick(words.NOUNS)
        if self.chance(0.5):
            key += " " + self.pick(words.STATES)
        return f"{self.word()} {key}" if self.chance(0.15) else key

    def count(self):
        value = self.integer()
        if self.chance(0.1):
            value += self.pick([" (up {})", " (down {})", " (was {})"]).format(self.integer())
        elif self.chance(0.05):
            value = f"{self.rng.randint(0, int(value))} of {value}"
        return self.count_key(), value

    def figure(self):
        """A fact, (key, value), with a figure in its value."""
        kind = self.rng.random()
        if kind < 0.45:
            return self.count()
        if kind < 0.85:
            key, units = self.pick(words.MEASURES)
            return key, self.quantity(self.pick(units))
        if kind < 0.91:
            return self.pick(words.MOMENTS), self.time() if self.chance(0.6) else self.date()
        return self.word(), self.quantity(self.pick(["", "percent", self.word()]))

    def remark(self):
        """A fact whose value is in words."""
        kind = self.rng.random()
        if kind < 0.4:
            key, values = self.pick(words.CONDITIONS)
            return key, self.pick(values)
        if kind < 0.8:
            return self.pick(words.REMARKS), self.cause()
        return self.pick(words.PERSON_KEYS), self.person()

    def facts(self, low, high, worded=0.2):
        return self.several(lambda: self.remark() if self.chance(worded) else self.figure(),
                            self.rng.randint(low, high))
