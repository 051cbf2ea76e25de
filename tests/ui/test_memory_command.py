"""`strata memory`: a FAQ goes in, is counted, comes out, and goes in again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner, Result

from chatbot.errors import FaqError
from chatbot.settings import Settings, read_settings
from corpora.database.engine import open_database
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import UnknownRelease
from tests.data_folders import copy_data
from ui.cli.main import app

FAQ = """question,answer,release,score
How is the valve cleaned?,With [b]water[/b].,1.0,
How loud is it?,42 dB,1.0,0.1
"""
Run = Callable[..., Result]


@pytest.fixture
def run(valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `strata memory …` on documentation of its own with the product "valve"."""
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    return lambda *arguments: CliRunner().invoke(app, ["memory", *arguments])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "faq.csv"
    path.write_text(FAQ, "utf-8-sig")
    return path


def test_a_faq_goes_in_is_counted_comes_out_and_goes_in_again(
    run: Run, file: Path, tmp_path: Path
) -> None:
    assert "Nothing is remembered yet" in run("stats").stdout
    told = run("import", str(file), "--product", "valve")
    assert told.exit_code == 0, told.output
    assert "2 answers added, 0 with citations.\n1 answer rated poor" in told.stdout
    counted = "valve 1.0: 1 good, 0 not rated, 1 poor, 0 suspended; reuses: 0"
    assert counted in run("stats").stdout
    stats = json.loads(run("stats", "--json").stdout)
    assert (stats["pairs"], stats["reused"], stats["releases"][0]["good"]) == (2, 0, 1)
    out = tmp_path / "out.csv"
    assert run("export", "--format", "csv", "--output", str(out)).exit_code == 0
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    again = json.loads(run("import", str(out), "--json").stdout)
    assert (again["added"], again["known"], again["left_out"]) == (0, 2, [])
    rows = [json.loads(line) for line in run("export", "--product", "valve").stdout.splitlines()]
    assert [row["score"] for row in rows] == [1.0, 0.1]
    assert run("export", "--product", "valve", "--release", "2.0").stdout == ""


def test_lines_that_are_left_out_are_named_and_change_the_exit_code(run: Run, file: Path) -> None:
    file.write_text(f"{FAQ}How old is it?,[b]old[/b],9.9,\nWhy?,,1.0,\n")
    told = run("import", str(file), "--product", "valve")
    assert told.exit_code == 3
    assert "2 lines skipped:" in told.stdout
    assert "line 4: there is no release '9.9' of valve; there is: 1.0, 2.0" in told.stdout
    file.write_text("question,answer,release\nWhy?,,1.0\n")
    assert run("import", str(file), "--product", "valve").exit_code == 1
    report = json.loads(run("import", str(file), "--product", "valve", "--json").stdout)
    assert report["left_out"] == [{"line": 2, "reason": "the answer is empty"}]


def test_what_earlier_rules_read_is_told_and_comes_back_with_a_rebuild(
    run: Run, file: Path
) -> None:
    run("import", str(file), "--product", "valve")
    database = open_database(read_settings().database)
    with database.writing() as session:
        session.execute(update(MemoryPairRow).values(embedding="all-minilm-l6-v2-int8/asks-1"))
    database.close()
    assert "No longer reused since an update: 2 saved answers." in run("stats").stdout
    assert json.loads(run("rebuild", "--json").stdout) == [
        {"product": "valve", "release": "1.0", "before": 2, "pairs": 2}
    ]
    assert json.loads(run("stats", "--json").stdout)["unread"] == 0


def test_what_cannot_be_done_is_said(run: Run, tmp_path: Path) -> None:
    assert isinstance(run("import", str(tmp_path / "none.csv")).exception, FaqError)
    assert isinstance(run("stats", "--product", "torch").exception, UnknownRelease)
    assert run("stats", "--release", "1.0").exit_code == 2
    assert run("export", "--format", "xml").exit_code == 2
