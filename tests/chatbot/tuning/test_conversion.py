"""An adapter of each architecture in both backends, on tiny random models that the test builds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.gguf_header import read_header
from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.tuning.conversion import convert
from chatbot.tuning.instructions import TuningError
from tests.chatbot.gguf_of_model import write_model
from tests.chatbot.tiny_llama import require_training, save_tiny_model

KINDS: dict[str, dict[str, float]] = {
    "qwen2": {},
    "qwen3": {"head_dim": 32},
    "llama": {},
    "granite": {
        "embedding_multiplier": 2.0,
        "attention_multiplier": 0.2,
        "residual_multiplier": 0.7,
        "logits_scaling": 0.5,
    },
}
ASKED = "since which version the port runs"


def save_adapter(base: Path, folder: Path, **options: Any) -> Path:
    """An adapter of the model in a folder, as peft saves it, that changes what the model says."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    given = {"r": 4, "lora_alpha": 6, "target_modules": "all-linear", "task_type": "CAUSAL_LM"}
    model = AutoModelForCausalLM.from_pretrained(base)
    adapted = get_peft_model(model, LoraConfig(**{**given, **options}))
    with torch.random.fork_rng():
        torch.manual_seed(2)
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(weight, std=0.3)
    adapted.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model `base`, the same as `base.gguf`, and the adapter `tuned`."""
    require_training()
    folder = tmp_path_factory.mktemp(request.param)
    save_tiny_model(folder / "base", request.param, **KINDS[request.param])
    write_model(folder / "base", folder / "base.gguf")
    save_adapter(folder / "base", folder / "tuned")
    return folder


def embedded(base: Path, adapter: Path | None = None) -> EmbeddedChatModel:
    return EmbeddedChatModel(
        path=base, adapter=adapter, context=512, slots=1, threads=1, max_tokens=16
    )


def answer(model: BaseChatModel) -> tuple[str, int, dict[str, float]]:
    """What it says, to a prompt of how many tokens, and how likely each first token was."""
    reply = model.invoke(ASKED, logprobs=True, top_logprobs=5)
    assert isinstance(reply, AIMessage) and reply.usage_metadata
    first = reply.response_metadata["logprobs"]["content"][0]["top_logprobs"]
    likely = {other["token"]: other["logprob"] for other in first}
    return reply.text, reply.usage_metadata["input_tokens"], likely


def test_both_backends_say_the_same_with_the_adapter(made: Path) -> None:
    written = made / "tuned.gguf"
    report = convert(made / "tuned", made / "base.gguf", written)
    assert (report.layers, report.rank, report.alpha) == (3 * 7, 4, 6)
    assert report.tuned_on == str(made / "base")
    options: dict[str, Any] = {"quantization": "off", "device": "cpu", "max_tokens": 16}
    base = str(made / "base")
    for theirs, ours in (
        (HuggingFaceChatModel(model=base, **options), embedded(made / "base.gguf")),
        (
            HuggingFaceChatModel(model=base, adapter=str(made / "tuned"), **options),
            embedded(made / "base.gguf", written),
        ),
    ):
        text, tokens, likely = answer(ours)
        print(text, tokens, likely, answer(theirs))
