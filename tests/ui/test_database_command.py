from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from chatbot.settings import Settings
from corpora.database.engine import sqlite_url
from tests.chatbot.conftest import opened
from tests.postgresql import Cluster, cluster
from ui.cli.main import app

Run = Callable[..., Result]
QUESTIONS = tuple(
    asked.format(release=release)
    for release in ("1.0", "2.0")
    for asked in (
        "What is the default of hold_time in {release}?",
        "What is the default of drain_time in {release}?",
        "Which torque does the cover screw need in {release}?",
        "Does the valve {release} close more quietly?",
        "What is the flux of the moon in {release}?",
    )
)


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as started:
        yield started


@pytest.fixture
def strata(valve_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a data folder and, where one is named, another database."""

    def run(*command: str, data_dir: Path, url: str = "") -> Result:
        monkeypatch.setenv("STRATA_DATA_DIR", str(data_dir))
        monkeypatch.setenv("STRATA_DATABASE_URL", url or sqlite_url(data_dir))
        return CliRunner().invoke(app, command)

    return run


def answers(settings: Settings) -> list[str]:
    with opened(settings) as chatbot:
        return [chatbot.ask(question, product="valve").content.answer for question in QUESTIONS]


def test_a_backup_is_restored_and_moved_and_ten_answers_are_the_same(
    strata: Run, valve_settings: Settings, tmp_path: Path, server: Cluster
) -> None:
    file, url = tmp_path / "backup.db", server.database_of(tmp_path)
    told = strata("backup", str(file), data_dir=valve_settings.data_dir)
    assert told.exit_code == 0, told.output
    assert "each compared" in told.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["backup.db"]

    before = file.read_bytes()
    left = tmp_path / "new" / "generations" / "1"
    left.mkdir(parents=True)
    assert strata("restore", str(file), data_dir=tmp_path / "new").exit_code == 0
    assert not left.exists(), "indexes of what stood there before"
    assert file.read_bytes() == before
    moved = strata("move", url, "--json", data_dir=tmp_path / "new")
    assert moved.exit_code == 0, moved.output
    assert '"turns"' in moved.stdout

    expected = answers(valve_settings)
    assert len(set(expected)) > 5
    restored = valve_settings.model_copy(update={"data_dir": tmp_path / "new"})
    assert answers(restored) == expected
    update = {"data_dir": tmp_path / "other", "database_url": url}
    assert answers(valve_settings.model_copy(update=update)) == expected


def test_nothing_is_written_over(strata: Run, valve_settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "backup.db"
    file.write_text("mine")
    assert "already exists" in str(strata("backup", str(file), data_dir=tmp_path / "a").exception)
    assert file.read_text() == "mine"
    gone = strata("restore", str(tmp_path / "gone.db"), data_dir=tmp_path / "a")
    assert "There is no file" in str(gone.exception)
    mine = strata("restore", str(file), data_dir=tmp_path / "a")
    assert "was not written by `strata backup`" in str(mine.exception)
    nowhere = strata("backup", str(tmp_path / "no" / "b.db"), data_dir=tmp_path / "a")
    assert "There is no folder" in str(nowhere.exception)
    file.unlink()
    strata("backup", str(file), data_dir=valve_settings.data_dir)
    refused = strata("restore", str(file), data_dir=valve_settings.data_dir)
    assert "is not empty" in str(refused.exception)
