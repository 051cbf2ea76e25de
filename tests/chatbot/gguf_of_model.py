"""A tiny model of Transformers as a GGUF file: the base of an adapter, for both backends."""

import json
from pathlib import Path
from typing import Any

from tests.chatbot.tiny_llama import MARKS, TEMPLATE, tiny_tokenizer

PERMUTED = ("llama", "granite")


def write_model(folder: Path, file: Path, template: str = TEMPLATE) -> Path:
    """Write the model in a folder, of `save_random_model`, in full precision."""
    import gguf
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder)
    config = model.config
    kind = config.model_type
    heads, kv_heads = config.num_attention_heads, config.num_key_value_heads
    head = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer = gguf.GGUFWriter(file, kind)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    if kind == "granite":
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)
    tokenizer = tiny_tokenizer()
    numbers = tokenizer.get_vocab()
    tokens = sorted(numbers, key=numbers.__getitem__)
    kinds = [gguf.TokenType.CONTROL if t in MARKS else gguf.TokenType.NORMAL for t in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_bos_token_id(numbers[MARKS[0]])
    writer.add_eos_token_id(numbers[MARKS[1]])
    writer.add_chat_template(template)
    (architecture,) = (arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == kind)
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    turned = {"q_proj": heads, "k_proj": kv_heads} if kind in PERMUTED else {}
    for name, weight in model.state_dict().items():
        layer = name.split(".")[-2]
        rows = _neighbours(weight, turned[layer]) if layer in turned else weight
        writer.add_tensor(names.get_name(name, (".weight", ".bias")), rows.float().numpy())
    finish(writer)
    return file


def _neighbours(weight: Any, heads: int) -> Any:
    """Rows that rotary embeddings turn together, side by side: Transformers has them in halves."""
    import torch

    return torch.cat([torch.stack(h.chunk(2), 1).flatten(0, 1) for h in weight.chunk(heads)])


def finish(writer: Any) -> None:
    """Put what was added into the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
