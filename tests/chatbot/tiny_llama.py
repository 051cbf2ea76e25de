"""Models with random weights and a tokenizer, small enough to build and save in a test."""

import importlib.util
import os
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

MARKS = ("<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "<|begin|>{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CONTEXT = 4096
TEXT = (
    "the port runs at ten gigabit per second and the release notes say since which version it did"
)


TRAINING = ("torch", "transformers", "peft", "trl", "datasets", "gguf")
"""What the extras `hf` and `train` bring."""


def require(*libraries: str) -> None:
    """Skip a test where one of these libraries is missing; in CI it fails."""
    if missing := [name for name in libraries if importlib.util.find_spec(name) is None]:
        told = f"no {missing[0]}: `pip install -e '.[hf,train]'` brings it"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)


def require_training() -> None:
    """Skip a test where the libraries for tuning are missing; in CI it fails."""
    require(*TRAINING)


def tiny_tokenizer() -> Tokenizer:
    """Byte-level BPE with a few merges: a character beyond ASCII takes several tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=list(MARKS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer


def save_tiny_llama(folder: Path) -> Path:
    """Save model and tokenizer into the folder; the same weights every time."""
    return save_random_model(folder, "llama")


def save_random_model(folder: Path, kind: str, dtype: str = "float32", **options: float) -> Path:
    """Save a model of a kind that Transformers knows; it is tiny where no option says otherwise."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

    tokenizer = tiny_tokenizer()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|begin|>",
        eos_token="<|end|>",
        additional_special_tokens=list(MARKS[2:]),
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    tiny: dict[str, float] = {
        "max_position_embeddings": CONTEXT,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        # Wide weights make clear winners, so that rounding decides nothing.
        "initializer_range": 0.4,
    }
    config = AutoConfig.for_model(
        kind,
        vocab_size=tokenizer.get_vocab_size(),
        bos_token_id=tokenizer.token_to_id("<|begin|>"),
        eos_token_id=tokenizer.token_to_id("<|end|>"),
        **{**tiny, **options},
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(config)
        model.to(getattr(torch, dtype)).save_pretrained(folder)
    return folder
