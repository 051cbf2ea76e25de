"""LoRA end to end on the CPU, on a tiny random Llama that the test builds."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.errors import GeneratorError, TuningError
from chatbot.models.hugging_face import HuggingFaceChatModel
from chatbot.models.network import load_network
from chatbot.tuning.instructions import Split
from chatbot.tuning.loss_curve import loss_curve
from chatbot.tuning.parameters import Parameters
from chatbot.tuning.training import Base, TuningReport, _tokens, tune
from tests.chatbot.tiny_llama import require_training, save_tiny_llama
from tests.chatbot.tuning.made_instruction import made_instruction

pytestmark = pytest.mark.slow

FACTS = {
    "port": "The port is 5540.",
    "fuse": "The fuse is 2 A.",
    "lamp": "It gives 600 lumen.",
    "log": "I don't know",
}
QUICK = Parameters(epochs=16, batch=2, learning_rate=2e-2, rank=8, alpha=16, dropout=0.1)
STEPS = 32


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_training()
    return save_tiny_llama(tmp_path_factory.mktemp("tiny-llama"))


def line(thing: str, reply: str) -> str:
    return made_instruction(thing, reply).model_dump_json()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set that can be learned by heart."""
    file = tmp_path_factory.mktemp("set") / "set.jsonl"
    file.write_text("\n".join(line(*fact) for fact in FACTS.items()))
    return file


@pytest.fixture(scope="module")
def tuned(
    tiny: Path, written: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, TuningReport]:
    folder = tmp_path_factory.mktemp("tuned") / "adapter"
    return folder, tune(Base(str(tiny), device="cpu"), written, folder, QUICK)


def test_the_loss_falls_on_a_set_that_can_be_learned_by_heart(
    tuned: tuple[Path, TuningReport],
) -> None:
    folder, report = tuned
    assert (report.finished, report.steps, report.instructions) == (True, STEPS, 4)
    assert [step for step, _ in report.training] == list(range(1, STEPS + 1))
    first, last = report.training[0][1], report.training[-1][1]
    assert last < first / 20
    config = json.loads((folder / "adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"], config["lora_dropout"]) == (8, 16, 0.1)
    assert (folder / "loss.svg").read_text() == loss_curve(report.training)
    record = json.loads((folder / "tuning.json").read_text())
    assert record["training"][-1] == [STEPS, last]


def test_the_backend_answers_with_the_adapter(tiny: Path, tuned: tuple[Path, TuningReport]) -> None:
    options: dict[str, Any] = {"model": str(tiny), "quantization": "off", "device": "cpu"}
    base = HuggingFaceChatModel(**options, max_tokens=40)
    adapted = HuggingFaceChatModel(**options, max_tokens=40, adapter=str(tuned[0]))
    replies = {thing: adapted.invoke(thing).content for thing in FACTS}
    assert replies == FACTS
    assert base.invoke("port").content != FACTS["port"]


def test_a_resumed_training_gives_the_same_curve(
    tiny: Path, written: Path, tuned: tuple[Path, TuningReport], tmp_path: Path
) -> None:
    base, folder = Base(str(tiny), device="cpu"), tmp_path / "adapter"
    seen: list[tuple[int, int]] = []
    heard = {"on_progress": lambda step, steps, _: seen.append((step, steps))}
    stopped = tune(base, written, folder, QUICK, stopped=lambda: len(seen) == 9, **heard)
    assert (stopped.finished, stopped.steps) == (False, 9)
    assert not (folder / "adapter_config.json").exists()
    assert seen == [(step, STEPS) for step in range(1, 10)]
    with pytest.raises(TuningError, match="add --resume"):
        tune(base, written, folder, QUICK)
    with pytest.raises(TuningError, match="another rank"):
        tune(base, written, folder, Parameters(rank=4), resume=True)

    resumed = tune(base, written, folder, QUICK, resume=True)
    assert (resumed.finished, resumed.resumed_at) == (True, 9)
    whole = tuned[1].training
    assert [step for step, _ in resumed.training] == [step for step, _ in whole]
    assert [loss for _, loss in resumed.training] == pytest.approx(
        [loss for _, loss in whole], rel=1e-4
    )


def test_what_is_too_long_is_left_out_and_nothing_left_is_said(
    tiny: Path, written: Path, tmp_path: Path
) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text("\n".join([line("port", "5540"), line("fuse " * 30, "2 A")]))
    once = Parameters(epochs=1, longest=40, rank=4)
    report = tune(Base(str(tiny), device="cpu"), file, tmp_path / "adapter", once)
    assert (report.instructions, report.too_long) == (1, 1)
    with pytest.raises(TuningError, match="no instruction of the split “train”"):
        tune(Base(str(tiny)), file, tmp_path / "b", Parameters(longest=5))
    # Nothing was begun there.
    assert not (tmp_path / "b").exists()


def test_the_model_learns_the_reply_and_where_it_ends_as_the_backend_reads_it(tiny: Path) -> None:
    network = load_network(str(tiny), "off", "cpu", offline=True)
    told = made_instruction("the <|end|> port", "ten <|end|> gigabit")
    (row,) = _tokens(network, [told], Split.TRAIN, None)
    prompt = network.encode([{"role": "user", "content": "the <|end|> port"}])
    reply = row["input_ids"][len(prompt) :]
    assert row["input_ids"][: len(prompt)] == prompt
    assert row["labels"] == [-100] * len(prompt) + reply
    # A mark of the template in a text is only text.
    end = network.tokenizer.eos_token_id
    assert reply.index(end) == len(reply) - 1
    assert network.tokenizer.decode(reply[:-1]) == "ten < |end|> gigabit"
    assert _tokens(network, [told], Split.HELD_BACK, None) == []


def test_an_adapter_that_cannot_be_used_says_why(
    tiny: Path, tuned: tuple[Path, TuningReport], tmp_path: Path
) -> None:
    options: dict[str, Any] = {"model": str(tiny), "quantization": "off", "device": "cpu"}
    with pytest.raises(GeneratorError, match=r"no adapter at .*adapter_config\.json"):
        HuggingFaceChatModel(**options, adapter=str(tmp_path)).load()
    config = json.loads((tuned[0] / "adapter_config.json").read_text())
    (tmp_path / "adapter_config.json").write_text(json.dumps({**config, "r": 4}))
    (tmp_path / "adapter_model.safetensors").write_bytes(
        (tuned[0] / "adapter_model.safetensors").read_bytes()
    )
    with pytest.raises(GeneratorError, match="tuned on this very model"):
        HuggingFaceChatModel(**options, adapter=str(tmp_path)).load()
