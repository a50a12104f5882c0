# SPDX-License-Identifier: MIT
"""A Llama in plain torch: RMSNorm, rotary positions, grouped-query attention, SwiGLU, tied
embeddings; as llama.cpp's "llama" computes it, but for the order of q's and k's rows (export.py)."""
import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

ROPE_BASE = 10000.0
NORM_EPSILON = 1e-5
CONTEXT = 1024


@dataclasses.dataclass
class Shape:
    width: int
    feed_forward: int
    layers: int
    heads: int
    kv_heads: int
    vocabulary: int

    @property
    def head_width(self):
        return self.width // self.heads


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + NORM_EPSILON) * self.weight


def rotation(shape):
    """cos and sin for each position and each pair of dimensions."""
    pairs = torch.arange(0, shape.head_width, 2).float() / shape.head_width
    angles = torch.outer(torch.arange(CONTEXT).float(), ROPE_BASE ** -pairs)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """x: rows, positions, heads, head width; dimension i is paired with i + half."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        kv_width = shape.kv_heads * shape.head_width
        self.q = nn.Linear(shape.width, shape.width, bias=False)
        self.k = nn.Linear(shape.width, kv_width, bias=False)
        self.v = nn.Linear(shape.width, kv_width, bias=False)
        self.o = nn.Linear(shape.width, shape.width, bias=False)

    def forward(self, x, cos, sin, mask, past):
        s = self.shape
        rows, count, _ = x.shape
        group = s.heads // s.kv_heads
        q = rotate(self.q(x).view(rows, count, s.heads, s.head_width), cos, sin)
        k = rotate(self.k(x).view(rows, count, s.kv_heads, s.head_width), cos, sin)
        v = self.v(x).view(rows, count, s.kv_heads, s.head_width)
        if past is not None:
            k, v = past.extend(self, k, v)
        # One matrix for each key head: the queries of its group lie one below the other.
        q = q.view(rows, count, s.kv_heads, group, s.head_width).permute(0, 2, 3, 1, 4)
        q = (q * s.head_width ** -0.5).reshape(rows * s.kv_heads, group * count, s.head_width)
        k = k.permute(0, 2, 3, 1).reshape(rows * s.kv_heads, s.head_width, -1)
        v = v.transpose(1, 2).reshape(rows * s.kv_heads, -1, s.head_width)
        scores = torch.bmm(q, k).view(rows * s.kv_heads, group, count, -1)
        weights = torch.softmax(scores + mask, dim=-1)
        out = torch.bmm(weights.view(rows * s.kv_heads, group * count, -1), v)
        out = out.view(rows, s.kv_heads, group, count, s.head_width).permute(0, 3, 1, 2, 4)
        return self.o(out.reshape(rows, count, s.width))


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.attention_norm = Norm(shape.width)
        self.attention = Attention(shape)
        self.feed_norm = Norm(shape.width)
        self.gate = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.down = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def attend(self, x, cos, sin, mask, past):
        return x + self.attention(self.attention_norm(x), cos, sin, mask, past)

    def feed(self, x):
        normed = self.feed_norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Past:
    """The keys and values of one conversation while an answer grows."""

    def __init__(self):
        self.count = 0
        self.kept = {}

    def extend(self, layer, k, v):
        if layer in self.kept:
            old_k, old_v = self.kept[layer]
            k, v = torch.cat((old_k, k), 1), torch.cat((old_v, v), 1)
        self.kept[layer] = (k, v)
        return k, v


def writes(name):
    """Does this matrix write into the residual stream (or read from it)?"""
    return name.endswith((".o.weight", ".down.weight"))


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = Norm(shape.width)
        self.cos, self.sin = rotation(shape)
        for name, weight in self.named_parameters():
            if weight.dim() < 2:
                continue
            # What writes into the residual stream begins at zero: each block as the identity.
            nn.init.normal_(weight, std=0 if writes(name) else 0.5 / math.sqrt(weight.shape[1]))

    def hidden(self, tokens, past=None, wanted=None):
        """tokens: rows, positions. The state after the last block, ready for logits(): of all
        positions, or of the `wanted` ones (a mask), which spares the others the last feed forward."""
        count = tokens.shape[1]
        start = past.count if past else 0
        cos = self.cos[start:start + count, None, :]
        sin = self.sin[start:start + count, None, :]
        mask = torch.full((count, start + count), -math.inf).triu(start + 1)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block.attend(x, cos, sin, mask, past)
            if wanted is not None and block is self.blocks[-1]:
                x = x[wanted]
            x = block.feed(x)
        if past:
            past.count += count
        return self.norm(x)

    def logits(self, hidden):
        return hidden @ self.embedding.weight.T

    @torch.no_grad()
    def complete(self, prompt, end, limit=300):
        """Greedy: the tokens that follow the prompt, up to `end`."""
        past = Past()
        tokens, answer = prompt, []
        while len(answer) < min(limit, CONTEXT - len(prompt)):
            hidden = self.hidden(torch.tensor([tokens]), past)
            token = int(self.logits(hidden[0, -1]).argmax())
            if token == end:
                break
            answer.append(token)
            tokens = [token]
        return answer
