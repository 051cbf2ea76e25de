import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.assembly import open_model
from chatbot.errors import TuningError
from chatbot.settings import read_settings
from chatbot.tuning import training
from chatbot.tuning.instructions import Instruction, Message, Split
from chatbot.tuning.training import TuningReport
from tests.chatbot.gguf_of_model import write_model
from tests.chatbot.tiny_llama import require_training, save_tiny_llama
from tests.ui.conftest import Command


def instruction(question: str, reply: str, split: Split) -> str:
    return Instruction(
        messages=(
            Message(role="user", content=question),
            Message(role="assistant", content=reply),
        ),
        question=question,
        product="valve",
        release="1.0",
        split=split,
        abstains=reply == "I don't know",
        origin="curated",
    ).model_dump_json()


@pytest.mark.slow
def test_a_model_is_tuned_and_compared_with_its_base(
    strata: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_training()
    known = {"port": "The port runs at ten gigabit.", "notes": "I don't know"}
    lines = [instruction(*pair, split) for pair in known.items() for split in Split]
    file, folder = tmp_path / "set.jsonl", tmp_path / "adapter"
    file.write_text("\n".join(lines))
    monkeypatch.setenv("STRATA_DEVICE", "cpu")
    monkeypatch.setenv("STRATA_QUANTIZATION", "off")
    assert strata("tune", "run", file, folder).exit_code == 2
    monkeypatch.setenv("STRATA_MODEL", str(save_tiny_llama(tmp_path / "tiny")))

    options = ("--epochs", 25, "--rank", 8, "--learning-rate", 0.02, "--dropout", 0)
    told = strata("tune", "run", file, folder, *options)
    assert told.exit_code == 0, told.output
    assert "25 steps on 2 instructions." in told.stdout
    assert f"Adapter: {folder}" in told.stdout
    assert isinstance(strata("tune", "run", file, folder).exception, TuningError)
    finished = strata("tune", "run", file, folder, *options, "--resume", "--json")
    assert json.loads(finished.stdout)["resumed_at"] == 25

    written = tmp_path / "tuned.gguf"
    command = ("tune", "convert", folder, "--output", written)
    assert strata(*command).exit_code == 2
    generator = write_model(tmp_path / "tiny", tmp_path / "tiny.gguf")
    told = strata(*command, "--generator", generator)
    assert told.exit_code == 0, told.output
    assert f"Wrote {written}, to be named in STRATA_ADAPTER: 21 layers of tiny.gguf" in told.stdout
    report = json.loads(strata(*command, "--generator", generator, "--json").stdout)
    assert report["tuned_on"] == str(tmp_path / "tiny")
    assert report["bytes"] == written.stat().st_size
    learned = open_model(read_settings(generator=str(generator), adapter=written))
    assert learned
    assert {asked: learned.invoke(asked).text for asked in known} == known
    none = strata("tune", "convert", tmp_path, "--output", written, "--generator", generator)
    assert isinstance(none.exception, TuningError)

    assert strata("tune", "eval", file).exit_code == 2
    compared = json.loads(strata("tune", "eval", file, "--adapter", folder, "--json").stdout)
    assert [score["reply"] for score in compared["scores"]["tuned"]] == list(known.values())
    base, tuned = (compared["figures"][name] for name in ("base", "tuned"))
    assert tuned["refused, rightly"] == {"hits": 1, "of": 1}
    assert base["refused, rightly"] == {"hits": 0, "of": 1}
    assert tuned["facts stated"]["hits"] == tuned["facts stated"]["of"] > 0
    table = strata("tune", "eval", file, "--adapter", folder).stdout
    assert "refused, rightly" in table
    file.write_text(lines[0])
    assert isinstance(strata("tune", "eval", file, "--adapter", folder).exception, TuningError)


def test_ctrl_c_stops_after_the_step_and_a_second_one_at_once(
    strata: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def tune(*_: Any, stopped: Callable[[], bool], **__: Any) -> TuningReport:
        assert not stopped()
        for _press in range(len(pressed)):
            signal.raise_signal(signal.SIGINT)
        assert stopped()
        return TuningReport("", False, 3, 4, 0, 0, False, 0, [(1, 2.0), (3, 1.0)], [])

    monkeypatch.setattr(training, "tune", tune)
    pressed.append(1)
    once = strata("tune", "run", tmp_path / "set.jsonl", tmp_path / "out", "--model", "m")
    assert once.exit_code == 130
    assert "3 steps on 4 instructions." in once.stdout
    assert "`--resume` continues from here" in once.stderr
    pressed.append(1)
    twice = strata("tune", "run", tmp_path / "set.jsonl", tmp_path / "out", "--model", "m")
    assert "3 steps" not in twice.stdout
    assert twice.exit_code != 0
    assert signal.getsignal(signal.SIGINT) is before
