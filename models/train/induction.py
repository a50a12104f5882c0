# SPDX-License-Identifier: MIT
"""Attention heads that copy, put in by hand where training begins.

What these models need most is: find where the last token (or two) stood before, and say what came
after it. That takes two layers (Olsson et al., 2022, "induction heads"). Found by gradient descent
they had cost a million tokens and were not there yet; they can as well be written down:

  layer 0, heads 0 and 1   attend one and two positions back, whatever stands there, by their rotary
                           phase, and note that token in subspaces of their own, `one` and `two`;
  layer 1, head 0          attends where `one` is the token here: there the token here came before;
  layer 1, head 2          the same, but `two` must fit the token before this one as well;
  both                     add the token that stands there to the state, and so to the logits;
  the last layer           says likewise what it attends, and is left to find out where to look.

Only slowly rotating dimensions take part in the matching, so that distance hardly disturbs it.
All else begins as usual, and all of it is trained afterwards."""
import torch

CONSTANT = 0.25      # one coordinate of each embedding is this: what position-only heads look at
BACK_GAIN = 0.9      # enough for nearly all attention on one position
NOTE_GAIN = 0.07     # a noted token is about as long as an embedding
MATCH_GAIN = 2.4
SAY_GAIN = 0.8
LAST_SAY_GAIN = 0.4
FAST, SLOW = 8, 18   # pairs of dimensions before FAST tell neighbours apart; from SLOW on they match


def slow_rows(shape):
    half = shape.head_width // 2
    return [*range(SLOW, half), *range(half + SLOW, 2 * half)]


@torch.no_grad()
def look_back(attention, distances, angles, seen, notes):
    """Heads 0 and 1 of a layer attend `distances` back, and write what they see there to `notes`."""
    size = attention.shape.head_width
    half = size // 2
    attention.k.weight[:size] = 0
    attention.k.weight[:FAST, 0] = BACK_GAIN
    attention.v.weight[:size] = seen
    for head, (distance, note) in enumerate(zip(distances, notes)):
        first = head * size
        attention.q.weight[first:first + size] = 0
        attention.q.weight[first:first + FAST, 0] = BACK_GAIN * torch.cos(angles[:FAST] * distance)
        attention.q.weight[first + half:first + half + FAST, 0] = \
            -BACK_GAIN * torch.sin(angles[:FAST] * distance)
        attention.o.weight[:, first:first + size] = NOTE_GAIN * note.T


@torch.no_grad()
def match_and_say(attention, key_head, asked, kept, said):
    """The first head of a key head's group attends where `kept` equals `asked` here, says `said`."""
    size = attention.shape.head_width
    key = key_head * size
    query = key * (attention.shape.heads // attention.shape.kv_heads)
    rows = slow_rows(attention.shape)
    for weight, first, basis in ((attention.q.weight, query, asked), (attention.k.weight, key, kept)):
        weight[first:first + size] = 0
        for row, direction in zip(rows, basis):
            weight[first + row] = MATCH_GAIN * direction
    attention.v.weight[key:key + size] = said
    attention.o.weight[:, query:query + size] = SAY_GAIN * said.T


@torch.no_grad()
def say_what_is_attended(attention, said_by_key_head):
    size = attention.shape.head_width
    group = attention.shape.heads // attention.shape.kv_heads
    for key_head, said in enumerate(said_by_key_head):
        attention.v.weight[key_head * size:(key_head + 1) * size] = said
        query = key_head * group * size
        attention.o.weight[:, query:query + size] = LAST_SAY_GAIN * said.T


@torch.no_grad()
def give(net):
    width, size = net.shape.width, net.shape.head_width
    net.embedding.weight[:, 0] = CONSTANT
    basis = torch.zeros(width, width)
    basis[:width - 1, 1:] = torch.linalg.qr(torch.randn(width - 1, width - 1))[0]
    token, one, two, other = basis.split(size)  # the last row of `other` is zero: one coordinate is taken
    angles = torch.atan2(net.sin[1], net.cos[1])
    look_back(net.blocks[0].attention, (1, 2), angles, token, (one, two))
    second = net.blocks[1].attention
    match_and_say(second, 0, token, one, token)
    count = len(slow_rows(net.shape)) // 2
    match_and_say(second, 1, torch.cat((token[:count], one[:count])),
                  torch.cat((one[:count], two[:count])), other)
    say_what_is_attended(net.blocks[-1].attention, (token, other))
