# SPDX-License-Identifier: MIT
"""Trains one model from a fixed seed: train.py clerk|writer|operator [--tokens N].

Writes build/models/NAME.pt every few minutes and goes on from it when started again."""
import argparse
import itertools
import os
import time

import torch
import torch.nn.functional as F

import chat
import data
import induction
import model
import muon
import tokenizer as tokenizers

SEED = 1
MATRIX_RATE, OTHER_RATE = 0.006, 0.001
WARM_UP, DECAY = 0.02, 0.5  # parts of the token budget
REPORT_SECONDS, SAVE_SECONDS, CHECK_SECONDS, CHECK_EXAMPLES = 60, 120, 1800, 40


def rate(progress):
    """The learning rate, next to its highest."""
    return min(1.0, progress / WARM_UP + 0.01, max(0.0, 1.0 - progress) / DECAY + 0.01)


def optimizers(net):
    matrices = [(name, p) for name, p in net.blocks.named_parameters() if p.dim() == 2]
    readers = [p for name, p in matrices if not model.writes(name)]
    writers = [p for name, p in matrices if model.writes(name)]
    others = [net.embedding.weight] + [p for p in net.parameters() if p.dim() == 1]
    return [muon.Muon(readers, writers, lr=MATRIX_RATE),
            torch.optim.AdamW(others, lr=OTHER_RATE, betas=(0.9, 0.95), weight_decay=0.0)]


def loss_of(net, tokens, weights):
    targets, weights = tokens[:, 1:], weights[:, 1:]
    counted = weights > 0
    hidden = net.hidden(tokens[:, :-1], wanted=counted)
    losses = F.cross_entropy(net.logits(hidden), targets[counted], reduction="none")
    return (losses * weights[counted]).sum() / weights.sum(), losses[weights[counted] == 1].mean()


def held_accuracy(net, tokenizer, module, count):
    """The part of held-out examples that pass each check of the module's score()."""
    totals, wrong = {}, []
    for example in itertools.islice(module.examples("held", SEED), count):
        prompt = chat.render(example["messages"][:-1], example["tools"], True)
        wanted = tokenizer.encode(chat.render(example["messages"][-1:], [], False))
        answer = net.complete(tokenizer.encode(prompt), tokenizer.id_of[chat.END], len(wanted) + 20)
        text = tokenizer.decode(answer)
        scores = module.score(example, chat.read_answer(text))
        for key, passed in scores.items():
            totals[key] = totals.get(key, 0) + passed / count
        if not all(scores.values()):
            wrong.append((prompt[-300:], text, example["messages"][-1]))
    return totals, wrong


class Run:
    def __init__(self, name, budget):
        self.name, self.budget = name, budget
        self.path = tokenizers.PATH.parent / f"{name}.pt"
        self.tokenizer = tokenizers.load()
        torch.manual_seed(SEED)
        self.net = model.Model(data.shape(name, len(self.tokenizer.tokens)))
        self.optimizers = optimizers(self.net)
        self.trained, self.seconds = 0, 0.0
        induction.give(self.net)
        if self.path.exists():
            self.resume(torch.load(self.path))

    @property
    def progress(self):
        return self.trained / self.budget

    def resume(self, stored):
        self.net.load_state_dict(stored["net"])
        for optimizer, state in zip(self.optimizers, stored["optimizers"]):
            optimizer.load_state_dict(state)
        self.trained, self.seconds = stored["trained"], stored["seconds"]

    def save(self):
        stored = {"net": self.net.state_dict(), "trained": self.trained, "seconds": self.seconds,
                  "optimizers": [optimizer.state_dict() for optimizer in self.optimizers]}
        torch.save(stored, self.path.with_suffix(".part"))
        os.replace(self.path.with_suffix(".part"), self.path)

    def step(self, tokens, weights):
        now = rate(self.progress)
        for optimizer, highest in zip(self.optimizers, (MATRIX_RATE, OTHER_RATE)):
            for group in optimizer.param_groups:
                group["lr"] = highest * now
            optimizer.zero_grad(set_to_none=True)
        loss, answer_loss = loss_of(self.net, tokens, weights)
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        self.trained += tokens.numel()
        return float(answer_loss)

    def check(self):
        module = data.module(self.name)
        scores, wrong = held_accuracy(self.net, self.tokenizer, module, CHECK_EXAMPLES)
        print("  held: " + " ".join(f"{k} {v:.2f}" for k, v in scores.items()), flush=True)
        for prompt, got, wanted in wrong[:3]:
            print(f"    {prompt!r}\n    got {got!r}\n    not {wanted!r}", flush=True)

    def train(self):
        # After a resume the data begins with another seed, rather than from the beginning.
        seed = SEED + self.trained
        source = data.batches(self.name, self.tokenizer, seed, lambda: self.progress)
        began = reported = saved = checked = time.monotonic()
        losses, trained = [], self.trained
        while self.progress < 1:
            losses.append(self.step(*next(source)))
            now = time.monotonic()
            self.seconds, began = self.seconds + now - began, now
            if now - reported > REPORT_SECONDS:
                speed = (self.trained - trained) / (now - reported)
                print(f"{self.name} {self.trained / 1e6:.2f}M tokens {self.seconds:.0f} s "
                      f"loss {sum(losses) / len(losses):.3f} {speed:.0f} tokens/s", flush=True)
                losses, trained, reported = [], self.trained, now
            if now - saved > SAVE_SECONDS:
                self.save()
                saved = now
            if now - checked > CHECK_SECONDS:
                self.check()
                reported = checked = began = time.monotonic()
                losses, trained = [], self.trained
        self.save()
        self.check()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=data.MODELS)
    parser.add_argument("--tokens", type=float, help="the budget, if not the model's own")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    Run(arguments.name, arguments.tokens or data.MODELS[arguments.name][2]).train()


if __name__ == "__main__":
    main()
