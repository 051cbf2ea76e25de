"""A language model of any shape with random weights: `python -m eval.benchmarks.random_model -h`.

It answers nonsense at the speed and in the memory of a real one, where no real one can be had. Its
replies never end by themselves, so every call is as long as it may be, and one that needs a form
is tried twice and then done without.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from eval.benchmarks.random_gguf import write_gguf

_MARKS = ("<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
_TEMPLATE = (
    "<|begin|>{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_CONTEXT = 8192


def main(
    model: Annotated[
        Path, typer.Argument(help="Where it goes: a folder, or a .gguf file for llama.cpp.")
    ],
    texts: Annotated[Path, typer.Argument(help="A folder whose text makes the vocabulary.")],
    hidden: Annotated[int, typer.Option(help="The width; 4096 for 7 to 8 billion.")] = 256,
    layers: Annotated[int, typer.Option(help="The depth; 32 for 7 to 8 billion.")] = 4,
    heads: Annotated[int, typer.Option(help="Attention heads; 32 for 7 to 8 billion.")] = 4,
    vocabulary: Annotated[int, typer.Option(help="Tokens at most.")] = 8000,
) -> None:
    """Save a Llama of this shape and its tokenizer, the same ones every time."""
    tokenizer = _tokenizer(texts, vocabulary)
    if model.suffix == ".gguf":
        write_gguf(
            model,
            tokenizer,
            _TEMPLATE,
            marks=_MARKS,
            hidden=hidden,
            layers=layers,
            heads=heads,
            context=_CONTEXT,
        )
    else:
        _save_folder(model, tokenizer, hidden, layers, heads)


def _tokenizer(texts: Path, vocabulary: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(_MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_read(texts), trainer)
    return tokenizer


def _save_folder(folder: Path, tokenizer: Tokenizer, hidden: int, layers: int, heads: int) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=_MARKS[0],
        eos_token=_MARKS[1],
        additional_special_tokens=list(_MARKS[2:]),
        chat_template=_TEMPLATE,
    ).save_pretrained(folder)
    set_seed(1)
    LlamaForCausalLM(
        LlamaConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=hidden,
            intermediate_size=3 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=max(1, heads // 4),
            max_position_embeddings=_CONTEXT,
            bos_token_id=tokenizer.token_to_id(_MARKS[0]),
            eos_token_id=tokenizer.token_to_id(_MARKS[1]),
        )
    ).save_pretrained(folder)


def _read(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".html", ".md", ".txt", ".rst"}:
            yield path.read_text(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    typer.run(main)
