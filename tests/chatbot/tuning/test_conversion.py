"""Adapters of each architecture in both backends, on tiny random models that the test builds."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from chatbot.errors import TuningError
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.gguf_file import read_header, require_adapter
from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.tuning.conversion import convert
from tests.chatbot.gguf_of_model import finish, write_model
from tests.chatbot.tiny_llama import require_training, save_random_model

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module", autouse=True)
def libraries() -> None:
    require_training()


def save_adapter(model: Any, folder: Path, **options: Any) -> Path:
    """An adapter of the model, as peft saves it, that changes what the model says."""
    import torch
    from peft import LoraConfig, get_peft_model

    given = {"r": 4, "lora_alpha": 6, "target_modules": "all-linear", "task_type": "CAUSAL_LM"}
    with torch.random.fork_rng(), warnings.catch_warnings():
        # What these libraries tell each other of names that will go.
        warnings.simplefilter("ignore", FutureWarning)
        torch.manual_seed(2)
        adapted = get_peft_model(model, LoraConfig(**{**given, **options}))
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(weight, std=0.3)
    adapted.save_pretrained(folder)
    return folder


def make(folder: Path, kind: str) -> Path:
    """Put the model `base`, the same as `base.gguf`, and the adapter `tuned` into the folder."""
    from transformers import AutoModelForCausalLM

    base = save_random_model(folder / "base", kind, **KINDS[kind])
    write_model(base, folder / "base.gguf")
    save_adapter(AutoModelForCausalLM.from_pretrained(base), folder / "tuned")
    return folder


@pytest.fixture(scope="module")
def qwen2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("qwen2"), "qwen2")


def answer(model: BaseChatModel) -> tuple[str, int, list[float]]:
    """The whole letters that it says, the tokens it was asked, the likelihoods of the first one."""
    reply = model.invoke("the notes", max_tokens=4, logprobs=True, top_logprobs=5)
    assert isinstance(reply, AIMessage)
    assert reply.usage_metadata
    likely = reply.response_metadata["logprobs"]["content"][0]["top_logprobs"]
    letters = "".join(c for c in reply.text if c.isascii() and c.isprintable())
    return letters, reply.usage_metadata["input_tokens"], [each["logprob"] for each in likely]


@pytest.mark.parametrize("kind", KINDS)
def test_both_backends_say_the_same_with_the_adapter(kind: str, tmp_path: Path) -> None:
    made = make(tmp_path, kind)
    base, written = made / "base.gguf", made / "tuned.gguf"
    report = convert(made / "tuned", base, written)
    assert (report.architecture, report.layers, report.rank, report.alpha) == (kind, 21, 4, 6)
    assert report.tuned_on == str(made / "base")
    require_adapter(written, read_header(base))
    theirs: dict[str, Any] = {"model": str(made / "base"), "quantization": "off", "device": "cpu"}
    ours: dict[str, Any] = {"path": base, "context": 512, "slots": 1, "threads": 1}
    plain = answer(EmbeddedChatModel(**ours))
    tuned = answer(EmbeddedChatModel(**ours, adapter=written))
    for found, expected in (
        (plain, answer(HuggingFaceChatModel(**theirs))),
        (tuned, answer(HuggingFaceChatModel(**theirs, adapter=str(made / "tuned")))),
    ):
        assert found[:2] == expected[:2]
        # Half precision, also that of what llama.cpp keeps of a prompt.
        assert found[2] == pytest.approx(expected[2], abs=0.1)
    assert plain[0] != tuned[0]


@pytest.mark.parametrize(
    ("option", "value"),
    [("use_dora", True), ("use_rslora", True), ("rank_pattern", {"q_proj": 2}), ("bias", "all")],
)
def test_what_is_no_plain_lora_is_refused(
    qwen2: Path, tmp_path: Path, option: str, value: object
) -> None:
    odd = shutil.copytree(qwen2 / "tuned", tmp_path / "odd")
    config = json.loads((odd / "adapter_config.json").read_text())
    (odd / "adapter_config.json").write_text(json.dumps({**config, option: value}))
    with pytest.raises(TuningError, match=rf"odd is not a plain LoRA.*sets {option}$"):
        convert(odd, qwen2 / "base.gguf", tmp_path / "odd.gguf")


def test_an_adapter_of_another_model_is_refused(qwen2: Path, tmp_path: Path) -> None:
    import gguf

    for options, reason in (
        ({"hidden_size": 32}, r"as 128 × 64, in the model it is 128 × 32"),
        ({"num_hidden_layers": 2}, r"model\.layers\.2\..*the model does not have"),
        ({"num_hidden_layers": 4}, "it tunes 3 of 4 blocks"),
    ):
        folder = save_random_model(tmp_path / reason[:5], "qwen2", **options)
        other = write_model(folder, tmp_path / "other.gguf")
        with pytest.raises(TuningError, match=rf"tuned does not fit other\.gguf: .*{reason}"):
            convert(qwen2 / "tuned", other, tmp_path / "no.gguf")
    finish(gguf.GGUFWriter(tmp_path / "gemma.gguf", "gemma3"))
    with pytest.raises(TuningError, match=r"architecture gemma3.*granite, llama, qwen2, qwen3"):
        convert(qwen2 / "tuned", tmp_path / "gemma.gguf", tmp_path / "no.gguf")
    assert not list(tmp_path.glob("no*"))


def test_what_is_no_adapter_says_why(qwen2: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    def refused(folder: Path, reason: str) -> None:
        with pytest.raises(TuningError, match=reason):
            convert(folder, qwen2 / "base.gguf", tmp_path / "no.gguf")

    refused(tmp_path / "none", r"no adapter at .*none: it needs an adapter_config\.json")
    broken = shutil.copytree(qwen2 / "tuned", tmp_path / "broken")
    weights = load_file(broken / "adapter_model.safetensors")
    first, second, *_ = weights
    unknown = {"base_model.model.lm_head.weight": weights[first] * 2}
    for changed, reason in (
        ({**weights, **unknown}, r"lm_head\.weight, which"),
        (
            {name: weight for name, weight in weights.items() if name != first},
            "do not fit together",
        ),
        ({**weights, second: weights[second] * float("inf")}, "too large for half precision"),
    ):
        save_file(changed, broken / "adapter_model.safetensors")
        refused(broken, reason)
    (broken / "adapter_model.safetensors").write_bytes(b"no weights")
    refused(broken, r"safetensors cannot be read")
