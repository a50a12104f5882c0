# SPDX-License-Identifier: MIT
"""From examples to batches: which data and which shape each model has, and how tokens are packed."""
import importlib
import random

import torch

import chat
import copying
import model

COMMON = dict(width=256, feed_forward=512, heads=4, kv_heads=2)
# name: (module of the data, shape without the vocabulary, tokens to train on)
MODELS = {
    "clerk": ("clerk", dict(layers=3, **COMMON), 3_000_000),
    "writer": ("writer", dict(layers=4, **COMMON), 6_000_000),
    "operator": ("operator_task", dict(layers=4, **COMMON), 8_000_000),
}
LEVELS = 0.06, 0.15    # the progress at which the easy examples of a task end, and the middle ones
BATCH_TOKENS = 1280, 2560, 5120  # until the progress is 0.1, until 0.5, and then
POOL = 3000            # examples sorted by length at a time, so that a batch has hardly any padding
LONGEST = 640
PROMPT_SHARE = 0.25    # the weight of all the prompt's tokens, next to 1 for all the answer's
PROMPT_SAMPLE = 0.2    # the part of the prompt's tokens that carry it: the rest need no logits


def module(name):
    return importlib.import_module(MODELS[name][0])


def shape(name, vocabulary):
    return model.Shape(vocabulary=vocabulary, **MODELS[name][1])


def encode(tokenizer, example, rng):
    """Token ids, and for each the weight of the loss of predicting it."""
    ids = tokenizer.encode(chat.render(example["messages"], example["tools"], False))
    assistant, end = tokenizer.id_of[chat.ASSISTANT], tokenizer.id_of[chat.END]
    weights, answering = [], False
    for token in ids:
        weights.append(1.0 if answering else 0.0)
        answering = token == assistant or (answering and token != end)
    answer = sum(weights)
    share = PROMPT_SHARE * answer / max(1, len(ids) - answer) / PROMPT_SAMPLE
    weights = [w or (share if rng.random() < PROMPT_SAMPLE else 0.0) for w in weights]
    weights[0] = 0.0
    return ids, weights


def copying_share(progress):
    """Copying is drilled first, then it is a spice."""
    return max(0.05, 1.0 - progress / 0.1)


def level(progress):
    return sum(progress > end for end in LEVELS)


def own_examples(name, seed):
    """For each level an iterator; the clerk has but one."""
    if name == "clerk":
        return [module(name).examples("train", seed)] * 3
    return [module(name).examples("train", seed, level) for level in range(3)]


def mixture(name, seed, progress):
    """Examples of copying.py and of the model's own data, in the share that progress() sets."""
    rng = random.Random(seed)
    own = own_examples(name, seed)
    drill = copying.examples("train", seed)
    while True:
        is_drill = rng.random() < copying_share(progress())
        yield next(drill if is_drill else own[level(progress())])


def to_batch(rows):
    width = max(len(ids) for ids, _ in rows)
    tokens = torch.zeros(len(rows), width, dtype=torch.long)
    weights = torch.zeros(len(rows), width)
    for i, (ids, w) in enumerate(rows):
        tokens[i, :len(ids)] = torch.tensor(ids)
        weights[i, :len(ids)] = torch.tensor(w)
    return tokens, weights


def batches(name, tokenizer, seed, progress):
    """Endless (tokens, weights) rows of about one length each."""
    rng = random.Random(seed)
    source = mixture(name, seed, progress)
    while True:
        # Small pools at first, so that the mixture follows the progress.
        rows = [encode(tokenizer, next(source), rng)
                for _ in range(POOL if progress() > 0.3 else POOL // 6)]
        budget = BATCH_TOKENS[(progress() > 0.1) + (progress() > 0.5)]
        rows = sorted((row for row in rows if len(row[0]) <= LONGEST), key=lambda row: len(row[0]))
        ready, batch = [], []
        for row in rows:
            if batch and (len(batch) + 1) * len(row[0]) > budget:
                ready.append(batch)
                batch = []
            batch.append(row)
        rng.shuffle(ready)
        yield from map(to_batch, ready)
