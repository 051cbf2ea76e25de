"""The generator that the settings name: known, a file here, or a file of the Hub."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.assembly import open_model
from chatbot.errors import GeneratorError
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.files import GENERATOR, ModelFile, chosen_generator, models_in_use
from chatbot.models.gguf_file import read_header
from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.settings import Settings, read_settings
from ingestion.errors import BadSettings
from tests.chatbot.gguf_of_model import finish, write_model
from tests.chatbot.tiny_llama import TEMPLATE, require_training, save_random_model


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("gguf") / "own.gguf")


def write(path: Path, *, template: str = TEMPLATE, context: int = 4000) -> Path:
    require_training()
    folder = save_random_model(path.with_suffix(""), "llama", max_position_embeddings=context)
    return write_model(folder, path, template)


def settings(generator: str, **options: object) -> Settings:
    return read_settings(generator=generator, **options)


def test_a_known_name_a_path_and_a_file_of_the_hub_are_told_apart(tmp_path: Path) -> None:
    assert chosen_generator(GENERATOR.key) is GENERATOR
    assert chosen_generator("none") is None
    assert chosen_generator("./models/some/own.gguf") == Path("models/some/own.gguf")
    for written in ("someone/toy/sub/model.gguf", "someone/toy:sub/model.gguf"):
        chosen = chosen_generator(written)
        assert isinstance(chosen, ModelFile)
        assert chosen.hub == "someone/toy/sub/model.gguf"
        assert chosen.path_in(tmp_path).parent == tmp_path
        assert chosen in models_in_use(written)
    assert all(model.name.startswith("all-minilm") for model in models_in_use(str(tmp_path)))


@pytest.mark.parametrize("generator", ["qwen", "someone/toy", "toy.gguf", "https://x.org/a/b"])
def test_what_is_no_generator_is_refused_with_what_there_is(generator: str) -> None:
    with pytest.raises(BadSettings, match=r"(?s)STRATA_GENERATOR.*qwen2\.5-coder-1\.5b.*owner/"):
        settings(generator)


def test_a_model_is_refused_when_strata_starts(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no model")
    for generator, reason in (
        (str(tmp_path / "no.gguf"), "correct the path"),
        (str(other), "not in GGUF format"),
        (str(tmp_path), "Is a directory"),
        ("someone/toy/model.gguf", "strata models pull"),
        ("qwen3-4b", "strata models pull"),
    ):
        with pytest.raises(BadSettings, match=reason):
            open_model(settings(generator, models_dir=tmp_path))


def test_the_context_of_the_file_bounds_prompts(gguf: Path) -> None:
    model = open_model(settings(str(gguf)))
    assert isinstance(model, EmbeddedChatModel)
    assert model.context == read_header(gguf).context == 4000
    for profile in ("embedded", "qamr"):
        own = settings(str(gguf), profile=profile, context_limit=15_000, prompt_budget=9_000)
        assert own.lead_budget == 3 * (4000 - own.answer_tokens - 1000)
    assert settings(str(gguf), generator_context=2048).context == 2048
    assert own.model_name == "own"
    for profile, budget in (("embedded", 900), ("qamr", 15_000)):
        assert settings("none", profile=profile, backend="server").lead_budget == budget


def write_lora(
    path: Path, architecture: str = "llama", *, read: int = 64, kind: str = "lora"
) -> Path:
    """An adapter of the query layer of `gguf`, unless it is to be for another model."""
    import gguf
    import numpy as np

    writer = gguf.GGUFWriter(path, architecture)
    writer.add_string("adapter.type", kind)
    writer.add_string("general.type", "adapter")
    writer.add_float32("adapter.lora.alpha", 4)
    layer = "blk.0.attn_q.weight"
    writer.add_tensor(f"{layer}.lora_a", np.ones((2, read), np.float16))
    writer.add_tensor(f"{layer}.lora_b", np.ones((64, 2), np.float16))
    finish(writer)
    return path


def test_an_adapter_reaches_the_embedded_model(gguf: Path, tmp_path: Path) -> None:
    adapter = write_lora(tmp_path / "tuned.gguf")
    own = settings(str(gguf), adapter=adapter)
    model = open_model(own)
    assert isinstance(model, EmbeddedChatModel)
    assert model.adapter == own.adapter_file == adapter
    assert own.model_name == "own + tuned"
    served = open_model(settings("none", backend="transformers", model="a/b", adapter=tmp_path))
    assert isinstance(served, HuggingFaceChatModel)
    assert served.adapter == str(tmp_path)


def test_an_adapter_that_cannot_be_used_is_refused_when_strata_starts(
    gguf: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "tuned"
    folder.mkdir()
    notes = tmp_path / "notes.txt"
    notes.write_text("no adapter")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(write_lora(tmp_path / "whole.gguf").read_bytes()[:150])
    for adapter, reason in (
        (tmp_path / "no.gguf", "correct the path"),
        (folder, r"`strata tune convert .*tuned --output tuned\.gguf`"),
        (notes, "not in GGUF format"),
        (cut, "cut off"),
        (gguf, r"does not fit own\.gguf: it is not a LoRA adapter"),
        (write_lora(tmp_path / "ia3.gguf", kind="ia3"), "it is not a LoRA adapter"),
        (write_lora(tmp_path / "a.gguf", "qwen2"), "it is for qwen2, the model is llama"),
        (write_lora(tmp_path / "b.gguf", read=32), "as 32 × 64, in the model it is 64 × 64"),
    ):
        with pytest.raises(BadSettings, match=rf"STRATA_ADAPTER\): .*{reason}"):
            open_model(settings(str(gguf), adapter=adapter))


def test_an_adapter_whose_weights_are_cut_off_says_what_to_do(gguf: Path, tmp_path: Path) -> None:
    adapter = write_lora(tmp_path / "tuned.gguf")
    adapter.write_bytes(adapter.read_bytes()[:-100])
    model = EmbeddedChatModel(path=gguf, adapter=adapter, context=512, slots=1, threads=1)
    with pytest.raises(GeneratorError, match=r"own\.gguf with the adapter tuned\.gguf .*convert`"):
        model.invoke("hello")


@pytest.mark.parametrize(
    ("made", "reason"),
    [({"template": ""}, "no chat template"), ({"context": 1024}, "1024 tokens at most")],
)
def test_a_model_that_cannot_chat_or_reads_too_little_is_refused(
    tmp_path: Path, made: dict[str, Any], reason: str
) -> None:
    with pytest.raises(BadSettings, match=reason):
        open_model(settings(str(write(tmp_path / "own.gguf", **made))))
