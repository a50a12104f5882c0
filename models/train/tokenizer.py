# SPDX-License-Identifier: MIT
"""A small byte-level BPE tokenizer, made so that copying is easy: tokenizer.py trains and saves it.

A model of 3 million weights copies an unseen name token by token, from where it stands in the
prompt to where it belongs in the answer. That works only if a name is the same tokens in both
places. So a merge never joins
  - a digit, a capital or a mark such as / - _ . @ with anything;
  - a space with a word, except for a list of frequent lower-case words, and only as a last step.
What is left to merge is lower-case letters, JSON's own punctuation, and those frequent words.

llama.cpp calls the format "gpt2", and "smollm" the rule that cuts text into pieces before merging;
PIECES below is that rule. tokenizer_check.py compares the two.
"""
import collections
import itertools
import json
import pathlib
import re
import sys
import unicodedata

import chat

SIZE = 2048
RARE = 10
SPACED_WORDS = 200  # frequent words that get a token with their space in front
PRE = "smollm"
PATH = pathlib.Path(__file__).resolve().parents[2] / "build/models/tokenizer.json"


def character_class(initial):
    """A regex class of all characters whose Unicode category begins with `initial`."""
    points = [p for p in range(0x110000) if unicodedata.category(chr(p))[0] == initial]
    ranges = []
    for _, run in itertools.groupby(enumerate(points), lambda pair: pair[1] - pair[0]):
        run = [point for _, point in run]
        ranges.append(f"{re.escape(chr(run[0]))}-{re.escape(chr(run[-1]))}")
    return "".join(ranges)


L, N = character_class("L"), character_class("N")
PIECES = re.compile(
    rf"[{N}]|'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[^\s{L}{N}]+|\s+(?=[{N}])|\s+(?!\S)|\s+")


def byte_alphabet():
    """GPT-2's map of the 256 bytes to printable characters."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (chr(256 + i) for i in itertools.count())
    return {b: chr(b) if b in printable else next(others) for b in range(256)}


ALPHABET = byte_alphabet()
SPACE = ALPHABET[32]
JSON_MARKS = set('{}[]":,' + SPACE)


def spell(piece):
    return "".join(ALPHABET[b] for b in piece.encode())


class Tokenizer:
    def __init__(self, tokens, merges):
        self.tokens = tokens
        self.merges = merges
        self.id_of = {token: i for i, token in enumerate(tokens)}
        self.rank = {tuple(merge): i for i, merge in enumerate(merges)}
        self.special = re.compile("(" + "|".join(map(re.escape, chat.SPECIAL)) + ")")
        self.bytes_of = {letter: b for b, letter in ALPHABET.items()}
        self.seen = {}

    def merge(self, parts):
        while len(parts) > 1:
            pairs = list(zip(parts, parts[1:]))
            best = min(pairs, key=lambda pair: self.rank.get(pair, SIZE))
            if best not in self.rank:
                break
            at = pairs.index(best)
            parts[at:at + 2] = ["".join(best)]
        return parts

    def encode_piece(self, piece):
        ids = self.seen.get(piece)
        if ids is None:
            ids = [self.id_of[part] for part in self.merge(list(spell(piece)))]
            if len(self.seen) < 200000:
                self.seen[piece] = ids
        return ids

    def encode(self, text):
        ids = []
        for part in self.special.split(text):
            if part in chat.SPECIAL:
                ids.append(self.id_of[part])
            else:
                for piece in PIECES.findall(part):
                    ids += self.encode_piece(piece)
        return ids

    def decode(self, ids):
        out = b""
        for i in ids:
            token = self.tokens[i]
            out += token.encode() if token in chat.SPECIAL else bytes(self.bytes_of[c] for c in token)
        return out.decode(errors="replace")


def may_merge(pair):
    joined = set("".join(pair))
    return joined <= set("abcdefghijklmnopqrstuvwxyz") or joined <= JSON_MARKS


def learn_merges(pieces, count):
    """The `count` merges that shorten the text most, each after the ones before it."""
    words = [(list(spell(piece)), n) for piece, n in sorted(pieces.items())]
    where = collections.defaultdict(set)
    pairs = collections.Counter()
    for i, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            if may_merge(pair):
                pairs[pair] += n
                where[pair].add(i)
    merges = []
    while len(merges) < count and pairs:
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        for i in where.pop(best):
            parts, n = words[i]
            for pair in zip(parts, parts[1:]):
                if may_merge(pair):
                    pairs[pair] -= n
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == best:
                    parts[at:at + 2] = ["".join(best)]
                at += 1
            for pair in zip(parts, parts[1:]):
                if may_merge(pair):
                    pairs[pair] += n
                    where[pair].add(i)
        del pairs[best]
    return merges


def train(texts):
    pieces = collections.Counter()
    for text in texts:
        for part in re.split("|".join(map(re.escape, chat.SPECIAL)), text):
            pieces.update(PIECES.findall(part))
    # The square root keeps the frame that every prompt repeats from taking all the merges.
    # What is rare is a random name, and stays in small pieces.
    weights = {piece: int(10 * n ** 0.5) for piece, n in pieces.items() if n >= RARE}
    base = list(ALPHABET.values()) + chat.SPECIAL
    merges = learn_merges(weights, SIZE - len(base) - SPACED_WORDS)
    whole = {"".join(merge) for merge in merges}
    spaced = [piece for piece, _ in sorted(pieces.items(), key=lambda item: (-item[1], item[0]))
              if re.fullmatch(" [a-z]+", piece) and (piece[1:] in whole or len(piece) == 2)]
    merges += [(SPACE, piece[1:]) for piece in spaced[:SPACED_WORDS]]
    return Tokenizer(base + ["".join(merge) for merge in merges], merges)


def save(tokenizer, path=PATH):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"tokens": tokenizer.tokens, "merges": tokenizer.merges}))


def load(path=PATH):
    stored = json.loads(path.read_text())
    return Tokenizer(stored["tokens"], stored["merges"])


def main():
    import data
    texts = (chat.render(e["messages"], e["tools"], False)
             for name in ("clerk", "writer", "operator")
             for e in itertools.islice(data.module(name).examples("train", 1), 8000))
    tokenizer = train(texts)
    save(tokenizer)
    print(f"{PATH}: {len(tokenizer.tokens)} tokens", file=sys.stderr)


if __name__ == "__main__":
    main()
