from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from chatbot.settings import Settings
from chatbot.tuning.instructions import read_instructions
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
