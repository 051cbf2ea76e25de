from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from corpora.building.building import ingest
from corpora.building.gathering import ChunkingSettings
from eval.benchmarks import retrieval
from eval.retrieval import CUTOFFS

GUIDE = """# Pump

## Pressure

The pump starts at {bar} bar.

## Cleaning

Rinse the filter with water every month.
"""

QUESTION = {
    "id": "q-1",
    "product": "pump",
    "question": "At which pressure does the pump start in 2.0?",
    "release": "2.0",
    "gold_answer": "5 bar",
    "must_include": ["5 bar"],
    "sources": [{"release": "2.0", "file": "guide.md", "anchor": "pressure"}],
    "kind": "release_specific_differs",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with one product in two releases."""
    for release, bar in (("1.0", 3), ("2.0", 5)):
        folder = tmp_path / "docs" / "pump" / release
        folder.mkdir(parents=True)
        (folder / "guide.md").write_text(GUIDE.format(bar=bar), "utf-8")
    return tmp_path / "docs"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A question about the pump, and one about another product."""
    other = QUESTION | {"id": "q-2", "product": "valve"}
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (QUESTION, other)), "utf-8")
    return path


def test_every_ranking_of_a_cut_has_a_row(
    docs: Path, gold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(retrieval, "CHUNKINGS", {"small": ChunkingSettings(target=40)})
    monkeypatch.setenv("COLUMNS", "120")

    retrieval.main(docs, [gold], product="pump")

    printed = capsys.readouterr().out
    assert printed.count("1/1") == len(retrieval.RANKINGS) * len(CUTOFFS)
    assert all(name in printed for name in ("small", *retrieval.RANKINGS))


def test_an_ingested_data_folder_is_only_searched(
    docs: Path, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    with retrieval.opened(data) as chatbot:
        ingest(
            [docs / "pump" / "2.0"],
            product="pump",
            release="2.0",
            database=chatbot.database,
            data_dir=data,
            embedder=chatbot.embedder,
        )

    retrieval.main(data, [gold], product="pump", ingested=True)

    assert "as ingested" in capsys.readouterr().out


def test_documents_that_are_not_there_are_named(docs: Path, gold: Path) -> None:
    with pytest.raises(typer.BadParameter, match=r"valve.2\.0"):
        retrieval.main(docs, [gold])
