from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from chatbot.assembly import open_model
from chatbot.errors import TuningError
from chatbot.settings import Settings, read_settings
from chatbot.tuning import training
from chatbot.tuning.instructions import Instruction, Message, Split, read_instructions
from chatbot.tuning.training import TuningReport
from corpora.errors import UnknownRelease
from tests.chatbot.gguf_of_model import write_model
from tests.chatbot.tiny_llama import require_training, save_tiny_llama
from tests.data_folders import copy_data
from ui.cli.main import app

Run = Callable[..., Result]


@pytest.fixture
def run(valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `strata …` on documentation of its own with the product "valve"."""
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    return lambda *arguments: CliRunner().invoke(app, list(map(str, arguments)))


def test_the_export_writes_a_set_and_says_what_it_left_out(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    nothing = run("tune", "export", out)
    assert nothing.exit_code == 1
    assert "nothing was written" in nothing.stdout
    assert list(tmp_path.glob("set*")) == []

    faq = tmp_path / "faq.csv"
    faq.write_text(
        "question,answer,release\n"
        "How long is the pressure log kept?,The pressure log is kept for 30 days.,1.0\n"
        "How loud is it?,It has 42 dB.,1.0\n"
    )
    run("memory", "import", faq, "--product", "valve")
    told = run("tune", "export", out)
    assert told.exit_code == 0, told.output
    assert "Wrote 1 instruction to" in told.stdout
    assert "1 answer left out:\n  1 nothing was found that bears it" in told.stdout
    (instruction,) = read_instructions(out)
    assert (instruction.product, instruction.release) == ("valve", "1.0")

    report = json.loads(run("tune", "export", out, "--json", "--product", "valve").stdout)
    assert sum(report["written"].values()) == 1
    assert report["left_out"] == {"nothing was found that bears it": 1}
    assert run("tune", "export", out, "--release", "1.0").exit_code == 2
    unknown = run("tune", "export", tmp_path / "none.jsonl", "--product", "torch")
    assert isinstance(unknown.exception, UnknownRelease)
    assert list(tmp_path.glob("none*")) == []


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


def test_a_model_is_tuned_and_compared_with_its_base(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_training()
    known = {"port": "The port runs at ten gigabit.", "notes": "I don't know"}
    lines = [instruction(*pair, split) for pair in known.items() for split in Split]
    file, folder = tmp_path / "set.jsonl", tmp_path / "adapter"
    file.write_text("\n".join(lines))
    monkeypatch.setenv("STRATA_DEVICE", "cpu")
    monkeypatch.setenv("STRATA_QUANTIZATION", "off")
    assert run("tune", "run", file, folder).exit_code == 2
    monkeypatch.setenv("STRATA_MODEL", str(save_tiny_llama(tmp_path / "tiny")))

    options = ("--epochs", 25, "--rank", 8, "--learning-rate", 0.02, "--dropout", 0)
    told = run("tune", "run", file, folder, *options)
    assert told.exit_code == 0, told.output
    assert "25 steps on 2 instructions." in told.stdout
    assert f"Adapter: {folder}" in told.stdout
    assert isinstance(run("tune", "run", file, folder).exception, TuningError)
    finished = run("tune", "run", file, folder, *options, "--resume", "--json")
    assert json.loads(finished.stdout)["resumed_at"] == 25

    written = tmp_path / "tuned.gguf"
    command = ("tune", "convert", folder, "--output", written)
    assert run(*command).exit_code == 2
    generator = write_model(tmp_path / "tiny", tmp_path / "tiny.gguf")
    told = run(*command, "--generator", generator)
    assert told.exit_code == 0, told.output
    assert f"Wrote {written}, to be named in STRATA_ADAPTER: 21 layers of tiny.gguf" in told.stdout
    report = json.loads(run(*command, "--generator", generator, "--json").stdout)
    assert report["tuned_on"] == str(tmp_path / "tiny")
    assert report["bytes"] == written.stat().st_size
    learned = open_model(read_settings(generator=str(generator), adapter=written))
    assert learned
    assert {asked: learned.invoke(asked).text for asked in known} == known
    none = run("tune", "convert", tmp_path, "--output", written, "--generator", generator)
    assert isinstance(none.exception, TuningError)

    assert run("tune", "eval", file).exit_code == 2
    compared = json.loads(run("tune", "eval", file, "--adapter", folder, "--json").stdout)
    assert [score["reply"] for score in compared["scores"]["tuned"]] == list(known.values())
    base, tuned = (compared["figures"][name] for name in ("base", "tuned"))
    assert tuned["refused, rightly"] == {"hits": 1, "of": 1}
    assert base["refused, rightly"] == {"hits": 0, "of": 1}
    assert tuned["facts stated"]["hits"] == tuned["facts stated"]["of"] > 0
    table = run("tune", "eval", file, "--adapter", folder).stdout
    assert "refused, rightly" in table
    file.write_text(lines[0])
    assert isinstance(run("tune", "eval", file, "--adapter", folder).exception, TuningError)


def test_ctrl_c_stops_after_the_step_and_a_second_one_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    once = run("tune", "run", tmp_path / "set.jsonl", tmp_path / "out", "--model", "m")
    assert once.exit_code == 130
    assert "3 steps on 4 instructions." in once.stdout
    assert "`--resume` goes on from here" in once.stderr
    pressed.append(1)
    twice = run("tune", "run", tmp_path / "set.jsonl", tmp_path / "out", "--model", "m")
    assert "3 steps" not in twice.stdout
    assert twice.exit_code != 0
    assert signal.getsignal(signal.SIGINT) is before
