#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What quantization does to a model's answers, as a Markdown table:

    quantization.py [operator] [--count N]

Each quantization is made from build/models/nano-NAME-f16.gguf. Answers come from `hotdesk up`, as in
evaluate.py. The perplexity is that of the held-out answers' tokens, with the file's weights read
back to float32: it shows what the weights have lost, free of what a backend rounds on its way."""
import argparse
import itertools
import os
import random
import subprocess

import gguf
import torch

import data
import evaluate
import export
import model
import tokenizer as tokenizers
import train

FILE_TYPES = ["F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K"]
QUANTIZE = os.environ.get("HOTDESK_QUANTIZE", evaluate.ROOT / "build/release/hotdesk-quantize")


def read_weights(path):
    return {t.name: torch.tensor(gguf.quants.dequantize(t.data, t.tensor_type))
            for t in gguf.GGUFReader(path).tensors}


def load(name, path, tokenizer):
    """The model in a GGUF file of any quantization, in torch."""
    net = model.Model(data.shape(name, len(tokenizer.tokens)))
    weights = read_weights(path)
    own = net.state_dict()
    for ours, theirs, heads in export.names(net.shape):
        weight = weights[theirs]
        own[ours].copy_(export.deinterleave(weight, heads) if heads else weight)
    return net


@torch.no_grad()
def perplexity(net, name, tokenizer, count):
    total, tokens_counted = 0.0, 0
    rng = random.Random(0)
    for example in itertools.islice(data.module(name).examples("held", evaluate.SEED), count):
        tokens, weights = data.to_batch([data.encode(tokenizer, example, rng)])
        _, answer_loss = train.loss_of(net, tokens, (weights == 1).float())
        answered = int((weights == 1).sum())
        total, tokens_counted = total + float(answer_loss) * answered, tokens_counted + answered
    return float(torch.exp(torch.tensor(total / tokens_counted)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="operator", choices=["clerk", "writer", "operator"])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--program", default=os.environ.get(
        "HOTDESK", evaluate.ROOT / "build/release/hotdesk"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = tokenizers.load()
    source = tokenizers.PATH.parent / f"nano-{given.name}-f16.gguf"
    header = None
    for kind in FILE_TYPES:
        path = source if kind == "F16" else source.with_name(f"nano-{given.name}-{kind.lower()}.gguf")
        if path != source:
            subprocess.run([QUANTIZE, source, path, kind], check=True)
        figures = evaluate.evaluate(given.name, path, given.count, given.program)
        if header is None:
            header = ["file", *figures, "perplexity", "bytes"]
            print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
        cells = [kind, *(f"{part:.1%}" for part in figures.values()),
                 f"{perplexity(load(given.name, path, tokenizer), given.name, tokenizer, given.count):.4f}",
                 f"{path.stat().st_size:,}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
