from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.errors import GlossaryError
from ui.cli.main import app

Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, database: Database, data_dir: Path) -> Run:
    """Runs `strata glossary …` on a data folder with the product "switch"."""
    monkeypatch.setenv("STRATA_DATA_DIR", str(data_dir))
    Catalog(database).add_release("switch", "1.0")

    def command(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["glossary", *arguments, "--product", "switch"])
        if result.exception:
            raise result.exception
        return result.output

    return command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "terms.csv"
    path.write_text("term,synonyms\nwait-to-restore,WTR\nperformance monitoring,PM,[b]pm[/b]\n")
    return path


def test_a_file_is_imported_listed_exported_and_changed(
    run: Run, file: Path, tmp_path: Path
) -> None:
    assert "No terms yet" in run("list")
    assert run("import", str(file)) == "switch: 2 terms, 2 added, 0 changed, 0 removed\n"
    assert run("list") == "performance monitoring: PM, [b]pm[/b]\nwait-to-restore: WTR\n"
    assert json.loads(run("list", "--json"))[1] == {"term": "wait-to-restore", "synonyms": ["WTR"]}

    exported = tmp_path / "out.csv"
    run("export", str(exported))
    assert exported.read_bytes().startswith(b"\xef\xbb\xbfterm,synonyms\nperformance")
    assert run("export") == exported.read_text("utf-8-sig")
    assert "0 added, 0 changed, 0 removed" in run("import", str(exported))

    file.write_text("term,synonyms\nperformance monitoring,PM\n")
    told = run("import", str(file))
    assert told == "switch: 1 term, 0 added, 1 changed, 1 removed (wait-to-restore)\n"
    assert run("remove", "performance monitoring").endswith("removed performance monitoring\n")
    assert "No terms yet" in run("list")


def test_a_faulty_file_changes_nothing_and_names_its_line(run: Run, file: Path) -> None:
    run("import", str(file))
    file.write_text("term,synonyms\nfan module,fan tray\nWTR\n")
    with pytest.raises(
        GlossaryError, match=r"terms\.csv, line 3: 'WTR' needs at least one synonym"
    ):
        run("import", str(file))
    assert "wait-to-restore: WTR" in run("list")
