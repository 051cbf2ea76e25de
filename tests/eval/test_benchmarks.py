from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.building.building import ingest
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


def test_every_ranking_has_a_row(
    docs: Path,
    gold: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    data = tmp_path / "data"
    chatbot = open_chatbot(Settings(data_dir=data, generator="none"))
    ingest(
        [docs / "pump" / "2.0"],
        product="pump",
        release="2.0",
        database=chatbot.database,
        data_dir=data,
        embedder=chatbot.embedder,
    )
    chatbot.database.close()

    retrieval.main(data, [gold])

    printed = capsys.readouterr().out
    assert printed.count("1/1") == len(retrieval.RANKINGS) * len(CUTOFFS)
    assert all(name in printed for name in retrieval.RANKINGS)


def test_a_folder_without_the_documents_is_told(gold: Path, tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="no question has a source"):
        retrieval.main(tmp_path / "empty", [gold])
