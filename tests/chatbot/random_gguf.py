"""A Llama with random weights as a GGUF file, which llama.cpp reads (needs the extra `test`).

Its weights are written in full (float32), so that each word costs reading all of them from memory,
as on a graphics card, and not the arithmetic.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from gguf import GGUFWriter


def write_gguf(
    path: Path,
    tokenizer: Tokenizer,
    template: str,
    *,
    marks: tuple[str, ...],
    hidden: int,
    layers: int,
    heads: int,
    context: int,
) -> None:
    """Write a Llama of this shape with the tokenizer, the same weights every time.

    `hidden` is the width and `context` the longest request, in tokens; `template` is the chat's.
    `marks` are the tokenizer's control tokens, that of the beginning and that of the end first.
    """
    import gguf

    size = tokenizer.get_vocab_size()
    kv_heads = max(1, heads // 4)
    inner = 3 * hidden
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(hidden)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(hidden // heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(size)
    add_tokenizer(writer, tokenizer, template, marks)

    random = np.random.default_rng(1)

    def add(name: str, *shape: int) -> None:
        weights = random.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
        writer.add_tensor(f"{name}.weight", weights)

    def add_norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(hidden, dtype=np.float32))

    add("token_embd", size, hidden)
    add_norm("output_norm")
    add("output", size, hidden)
    for i in range(layers):
        add_norm(f"blk.{i}.attn_norm")
        add(f"blk.{i}.attn_q", hidden, hidden)
        add(f"blk.{i}.attn_k", hidden * kv_heads // heads, hidden)
        add(f"blk.{i}.attn_v", hidden * kv_heads // heads, hidden)
        add(f"blk.{i}.attn_output", hidden, hidden)
        add_norm(f"blk.{i}.ffn_norm")
        add(f"blk.{i}.ffn_gate", inner, hidden)
        add(f"blk.{i}.ffn_up", inner, hidden)
        add(f"blk.{i}.ffn_down", hidden, inner)
    finish(writer)


def add_tokenizer(
    writer: GGUFWriter, tokenizer: Tokenizer, template: str, marks: tuple[str, ...]
) -> None:
    """Write a tokenizer of byte pairs, its control tokens and the template of chats."""
    from gguf import TokenType

    numbers = tokenizer.get_vocab()
    tokens = sorted(numbers, key=numbers.__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if t in marks else TokenType.NORMAL for t in tokens])
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_bos_token_id(numbers[marks[0]])
    writer.add_eos_token_id(numbers[marks[1]])
    writer.add_chat_template(template)


def finish(writer: GGUFWriter) -> None:
    """Put what was added into the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
