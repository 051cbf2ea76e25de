from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from tests.chatbot.remembered_answers import remember
from tests.corpora.beacon import ingest_beacon, write_beacon
from ui.cli.ingest import report_in_words
from ui.cli.main import app

Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, database: Database, data_dir: Path, tmp_path: Path) -> Run:
    """Runs `strata releases …` on a data folder with two releases of the Beacon."""
    monkeypatch.setenv("STRATA_DATA_DIR", str(data_dir))
    source = write_beacon(tmp_path / "docs")
    for release in ("17.10", "17.20"):
        ingest_beacon(database, source, release=release)

    def command(*arguments: str, typed: str = "") -> str:
        result = CliRunner().invoke(app, ["releases", *arguments], input=typed)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.output

    return command


def test_the_end_of_life_of_a_release_is_said_and_listed(run: Run) -> None:
    run("end-of-life", "Beacon", "17.10", "2026-12-31")
    assert "17.10  end of support 2026-12-31" in run()
    releases = json.loads(run("--json"))[0]["releases"]
    assert [r["end_of_life"] for r in releases] == ["2026-12-31", None]
    run("end-of-life", "Beacon", "17.10")
    assert "end of support" not in run()


def test_remembered_answers_are_counted_and_told_of(run: Run, database: Database) -> None:
    remember(database, "17.10", "12 metres")
    remember(database, "17.10")
    assert "17.10  2 saved answers\n" in run()
    told = run("retire", "Beacon", "17.10")
    assert told == "Beacon 17.10 is hidden\n2 saved answers are suspended.\n"
    assert "17.10" not in run()
    told = run("retire", "Beacon", "17.10", "--restore")
    assert told.endswith("is available again\n2 saved answers are in use again.\n")
    releases = json.loads(run("--json"))[0]["releases"]
    assert [r["remembered"] for r in releases] == [
        {"answers": 2, "suspended": 0},
        {"answers": 0, "suspended": 0},
    ]
    assert "2 saved answers" in run("delete", "Beacon", "17.10", typed="n\n")


def test_an_ingest_and_a_rollback_tell_of_remembered_answers(
    run: Run, database: Database, tmp_path: Path
) -> None:
    remember(database, "17.10", "12 metres")
    source = write_beacon(tmp_path / "docs", mast=15)
    report = ingest_beacon(database, source)
    assert "1 saved answer is suspended." in report_in_words(report)
    assert "1 saved answer, suspended" in run()
    told = run("rollback", "Beacon", "17.10")
    assert told.endswith("\n1 saved answer is in use again.\n")


def test_a_release_is_deleted_once_it_was_confirmed(run: Run, database: Database) -> None:
    told = run("delete", "Beacon", "17.10", typed="n\n")
    assert "2 documents" in told
    assert len(Catalog(database).products()[0].releases) == 2
    assert "Deleted Beacon 17.10" in run("delete", "Beacon", "17.10", "--yes")
    assert [r.name for r in Catalog(database).products()[0].releases] == ["17.20"]
