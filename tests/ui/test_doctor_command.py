import json
import shutil
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import update
from typer.testing import CliRunner

from chatbot.settings import Settings
from corpora.catalog.catalog import Catalog
from corpora.database.engine import open_database, sqlite_url
from corpora.database.tables import GenerationRow
from corpora.errors import EmbedderFailed
from corpora.generations.generations import claim
from corpora.generations.processes import this_process
from corpora.jobs.jobs import JobKind, Jobs
from ingestion.errors import BadSettings, StrataError
from tests.chatbot.small_server import raw, refuses, serving
from tests.data_folders import copy_data
from ui.cli.main import app

Doctor = Callable[..., tuple[int, dict[str, tuple[str, str]]]]


@pytest.fixture
def data_dir(valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    monkeypatch.setattr("chatbot.administration.doctor.lacking", tuple)
    return data


@pytest.fixture
def doctor(data_dir: Path) -> Doctor:
    """Runs `strata doctor --json`; returns its exit code, and how what was found and why."""

    def run(*options: str) -> Any:
        told: Result = CliRunner().invoke(app, ["doctor", "--json", *options])
        found = json.loads(told.stdout)
        return told.exit_code, {one["what"]: (one["health"], one["told"]) for one in found}

    return run


def index_of(data_dir: Path, release: str) -> Path:
    database = open_database(sqlite_url(data_dir))
    generation = Catalog(database).serving("valve", release).generation
    database.close()
    return data_dir / "generations" / str(generation)


def test_what_is_whole_is_well(doctor: Doctor) -> None:
    code, found = doctor()
    assert code == 0
    assert {health for health, _ in found.values()} == {"well"}
    assert {"database", "index of valve 1.0", "index of valve 2.0", "clock"} <= set(found)


def test_broken_indexes_and_leftovers_are_named_and_mended(doctor: Doctor, data_dir: Path) -> None:
    (vectors,) = index_of(data_dir, "1.0").rglob("data_level0.bin")
    vectors.write_bytes(vectors.read_bytes()[:100])
    shutil.rmtree(index_of(data_dir, "2.0"))
    (data_dir / "generations" / "99").mkdir()
    code, found = doctor()
    assert code == 1
    assert found["index of valve 1.0"][0] == "fault"
    assert "--mend" in found["index of valve 1.0"][1]
    assert found["index of valve 2.0"][0] == "note"
    assert found["leftovers"] == ("note", "Folders not needed: 1. Run with --mend.")
    code, found = doctor("--mend")
    assert code == 0
    assert found["index of valve 1.0"][0] == found["leftovers"][0] == "mended"
    assert doctor()[1]["index of valve 1.0"][0] == "well"
    assert not (data_dir / "generations" / "99").exists()


def test_a_clock_that_went_back_and_jobs_without_a_worker_are_named(
    doctor: Doctor, data_dir: Path
) -> None:
    database = open_database(sqlite_url(data_dir))
    with database.writing() as session:
        later = datetime.now(UTC) + timedelta(hours=2)
        session.execute(update(GenerationRow).values(created=later))
    Jobs(database).add(JobKind.REREAD, "valve", "1.0", "")
    database.close()
    code, found = doctor("--mend")
    assert code == 1
    assert "120 minutes in the future" in found["clock"][1]
    assert "Jobs that nobody does: 1." in found["jobs"][1]


def test_a_damaged_database_is_named(doctor: Doctor, data_dir: Path) -> None:
    file = data_dir / "strata.db"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_search_chunks_text_hash'"
        (root,) = database.execute(query).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    with file.open("r+b") as damaged:
        damaged.seek((root - 1) * size + 12)
        damaged.write(b"\xff" * 40)
    code, found = doctor()
    assert code == 1
    assert found["database"][0] == "fault"
    assert "Restore a backup" in found["database"][1]


def test_a_missing_model_and_what_a_hostile_file_could_reach_are_named(
    doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert doctor()[1]["parsers"] == ("well", "")
    monkeypatch.setattr("chatbot.administration.doctor.lacking", lambda: ("files", "signals"))
    monkeypatch.setenv("STRATA_MODELS_DIR", str(tmp_path / "no-models"))
    code, found = doctor()
    assert code == 1
    missing = {told for what, (health, told) in found.items() if what.startswith("model ")}
    assert missing == {"It is missing. Run `strata models pull`."}
    assert found["parsers"][0] == "note"
    assert "reaches files and signals of whoever runs Strata" in found["parsers"][1]


@pytest.mark.parametrize("error", [EmbedderFailed, BadSettings])
def test_an_embedder_that_cannot_be_opened_is_named(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, error: type[StrataError]
) -> None:
    def fails(*given: Any) -> Any:
        raise error("set its key")

    monkeypatch.setattr("chatbot.models.embedders.open_embedder", fails)
    code, found = doctor()
    assert code == 1
    assert found["embedder minilm"] == ("fault", "set its key")
    assert "clock" in found


def test_what_a_builder_that_ended_had_begun_goes_with_its_folder(
    doctor: Doctor, data_dir: Path
) -> None:
    database = open_database(sqlite_url(data_dir))
    serving = Catalog(database).serving("valve", "1.0").generation
    with database.writing() as session:
        release = session.get_one(GenerationRow, serving).release_id
    begun = claim(database, release, 1, "")
    with database.writing() as session:
        builder = this_process().rpartition("/")[0] + "/1.0"
        session.get_one(GenerationRow, begun).builder = builder
    folder = data_dir / "generations" / str(begun)
    folder.mkdir()
    assert doctor("--mend")[1]["leftovers"] == ("mended", "Folders removed: 1.")
    assert not folder.exists()
    with database.reading() as session:
        assert session.get(GenerationRow, begun) is None
    database.close()


def test_each_model_server_is_asked_whether_it_answers(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(raw('{"data": []}', "application/json")) as good, serving(refuses(503)) as bad:
        for name, value in {
            "BACKEND": "server",
            "MODEL": "main",
            "SERVER_URL": good.url,
            "FALLBACK_MODEL": "spare",
            "FALLBACK_URL": bad.url,
            "EMBEDDER": "http://127.0.0.1:1/v1#small",
        }.items():
            monkeypatch.setenv(f"STRATA_{name}", value)
        code, found = doctor()
    assert code == 1
    assert found[f"model server {good.url}"] == ("well", "")
    health, told = found[f"model server {bad.url}"]
    assert health == "fault"
    assert "fails (503" in told
    health, told = found["model server http://127.0.0.1:1/v1"]
    assert health == "fault"
    assert "gave no vectors (ConnectError): start it" in told
