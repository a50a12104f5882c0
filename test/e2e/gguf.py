# SPDX-License-Identifier: MIT
"""Writes the smallest file that reads as a language model: enough for the daemon, which looks at
the header, and for the fake worker, which looks at nothing."""
import struct

U16, U32, STRING = 2, 4, 8
F32 = 0
ALIGNMENT = 32


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def pair(key, kind, value):
    packed = text(value) if kind == STRING else struct.pack({U16: "<H", U32: "<I"}[kind], value)
    return text(key) + struct.pack("<I", kind) + packed


def write_model(path, split=None):
    """`split`: (number, count), where the file is one of several."""
    pairs = [pair("general.architecture", STRING, "llama"),
             pair("llama.block_count", U32, 1),
             pair("llama.embedding_length", U32, 32),
             pair("llama.feed_forward_length", U32, 64),
             pair("llama.attention.head_count", U32, 2),
             pair("llama.context_length", U32, 4096),
             pair("llama.vocab_size", U32, 64)]
    if split:
        pairs += [pair("split.no", U16, split[0]), pair("split.count", U16, split[1])]
    tensor = text("token_embd.weight") + struct.pack("<IQQIQ", 2, 32, 64, F32, 0)
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(pairs) + tensor
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT) + bytes(32 * 64 * 4))
