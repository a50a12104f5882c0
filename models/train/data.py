# SPDX-License-Identifier: MIT
"""From examples to batches: which data and which shape each model has, and how tokens are packed."""
import importlib
import random

import torch

import chat
import copying
import model

SMALL = dict(width=192, feed_forward=384, layers=4, heads=3, kv_heads=3)
LARGE = dict(width=256, feed_forward=512, layers=4, heads=4, kv_heads=2)
# name: (module of the data, shape without the vocabulary, tokens to train on)
MODELS = {
    "clerk": ("clerk", SMALL, 2_500_000),
    "base": ("base", LARGE, 1_000_000),
    "writer": ("writer", LARGE, 3_000_000),
    "operator": ("operator_task", LARGE, 4_000_000),
}
FIRST = {"writer": "base", "operator": "base"}  # the model whose weights another begins with
BATCH_TOKENS = 2560, 5120   # in the first half of the training, and then
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


def copying_share(name, progress):
    """Copying is learnt first and alone, then it is a spice."""
    alone, falling = {"clerk": (0.04, 0.16), "base": (0.3, 0.5)}.get(name, (0.0, 0.01))
    return min(1.0, max(0.05, 1.0 - (progress - alone) / falling))


def mixture(name, seed, progress):
    """Examples of copying.py and of the model's own data, in the share that progress() sets."""
    rng = random.Random(seed)
    own = module(name).examples("train", seed)
    drill = copying.examples("train", seed)
    while True:
        yield next(drill if rng.random() < copying_share(name, progress()) else own)


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
                for _ in range(POOL if progress() > 0.5 else POOL // 4)]
        budget = BATCH_TOKENS[progress() > 0.5]
        rows = sorted((row for row in rows if len(row[0]) <= LONGEST), key=lambda row: len(row[0]))
        ready, batch = [], []
        for row in rows:
            if batch and (len(batch) + 1) * len(row[0]) > budget:
                ready.append(batch)
                batch = []
            batch.append(row)
        rng.shuffle(ready)
        yield from map(to_batch, ready)
