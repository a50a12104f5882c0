# SPDX-License-Identifier: MIT
"""Writes build/models/NAME.pt as build/models/nano-NAME-f16.gguf: export.py NAME.

Needs gguf-py of the engine's bundle in PYTHONPATH (`reproduce` sets it)."""
import sys

import gguf
import numpy
import torch

import chat
import data
import model
import tokenizer as tokenizers

PURPOSE = {
    "clerk": "classifies short messages into the labels that the system prompt lists",
    "writer": "writes short reports from given facts, and condenses tool results",
    "operator": "answers a request with a tool call, or says that no tool fits",
}
BLOCK_TENSORS = {
    "attention_norm": "attn_norm", "attention.q": "attn_q", "attention.k": "attn_k",
    "attention.v": "attn_v", "attention.o": "attn_output",
    "feed_norm": "ffn_norm", "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down",
}


def interleave(weight, heads):
    """Training pairs dimension i of a head with i + half for the rotation, llama.cpp 2i with 2i + 1."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).transpose(1, 2).reshape(rows, columns)


def deinterleave(weight, heads):
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


def names(shape):
    """For each tensor: our name, llama.cpp's, and the heads whose rows are to be interleaved."""
    rotated = {"attention.q": shape.heads, "attention.k": shape.kv_heads}
    yield "embedding.weight", "token_embd.weight", None
    yield "norm.weight", "output_norm.weight", None
    for i in range(shape.layers):
        for ours, theirs in BLOCK_TENSORS.items():
            yield f"blocks.{i}.{ours}.weight", f"blk.{i}.{theirs}.weight", rotated.get(ours)


def write_shape(writer, shape):
    writer.add_context_length(model.CONTEXT)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(model.NORM_EPSILON)
    writer.add_rope_dimension_count(shape.head_width)
    writer.add_rope_freq_base(model.ROPE_BASE)
    writer.add_vocab_size(shape.vocabulary)


def write_tokenizer(writer, tokenizer):
    kinds = {token: gguf.TokenType.CONTROL for token in chat.SPECIAL}
    # A call is part of the answer's text, for the parser to find.
    kinds[chat.CALL] = kinds[chat.CALL_END] = gguf.TokenType.USER_DEFINED
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(tokenizers.PRE)
    writer.add_token_list(tokenizer.tokens)
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in tokenizer.tokens])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer.merges])
    end = tokenizer.id_of[chat.END]
    writer.add_bos_token_id(end)  # libllama wants one; it is never added
    writer.add_eos_token_id(end)
    writer.add_pad_token_id(end)
    writer.add_add_bos_token(False)
    writer.add_chat_template(chat.TEMPLATE)


def main():
    name = sys.argv[1]
    tokenizer = tokenizers.load()
    net = model.Model(data.shape(name, len(tokenizer.tokens)))
    net.load_state_dict(torch.load(tokenizers.PATH.parent / f"{name}.pt")["net"])
    path = tokenizers.PATH.parent / f"nano-{name}-f16.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"nano-{name}")
    writer.add_description(PURPOSE[name])
    writer.add_license("mit")
    writer.add_author("Hotdesk")
    writer.add_languages(["en"])
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    write_shape(writer, net.shape)
    write_tokenizer(writer, tokenizer)
    weights = net.state_dict()
    for ours, theirs, heads in names(net.shape):
        weight = interleave(weights[ours], heads) if heads else weights[ours]
        kind = numpy.float16 if weight.dim() == 2 else numpy.float32
        writer.add_tensor(theirs, weight.numpy().astype(kind))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    parameters = sum(p.numel() for p in net.parameters())
    print(f"{path}: {parameters / 1e6:.2f} M parameters, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
