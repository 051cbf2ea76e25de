from __future__ import annotations

from pathlib import Path

import pytest

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.documents.documents import Documents
from tests.corpora.beacon import ingest_beacon, write, write_beacon

pytestmark = pytest.mark.database


def serving(database: Database) -> int:
    return Catalog(database).serving("Beacon", "17.10").generation


def files(documents: Documents, generation: int, words: str = "") -> list[str]:
    return [d.file for d in documents.find(generation, words)]


def test_documents_are_searched_in_title_and_file(database: Database, tmp_path: Path) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs"))
    documents = Documents(database)
    generation = serving(database)
    assert files(documents, generation) == ["guide.md", "reference/alarms.md"]
    assert files(documents, generation, "INSTALLATION") == ["guide.md"]
    assert files(documents, generation, "alarms reference") == ["reference/alarms.md"]
    assert files(documents, generation, "%") == []
    assert files(documents, generation, "guide alarms") == []
    first = documents.find(generation)[0]
    assert (first.title, first.format) == ("Installation guide", "md")
    assert first.size == (tmp_path / "docs" / "guide.md").stat().st_size
    assert first.pages == len(documents.page_ids(first.id)) > 0


def test_thousands_of_documents_come_in_pages(database: Database, tmp_path: Path) -> None:
    texts = {f"part{number:02}": f"# Part {number}\n\nWord {number}." for number in range(30)}
    ingest_beacon(database, write(tmp_path / "docs", **texts))
    documents = Documents(database)
    generation = serving(database)
    assert documents.count(generation) == 30
    page = documents.find(generation, offset=25, limit=25)
    assert [d.file for d in page] == [f"part{n}.md" for n in range(25, 30)]
    assert documents.count(generation, "part 1") == 12
    assert len(documents.find(generation, "part 1", limit=2)) == 2


def test_a_page_and_its_original_are_as_they_were_read(database: Database, tmp_path: Path) -> None:
    source = write_beacon(tmp_path / "docs")
    ingest_beacon(database, source)
    documents = Documents(database)
    found = documents.find(serving(database), "guide")[0]
    page = documents.page(documents.page_ids(found.id)[0])
    assert "mast of at least 12 metres" in page.text
    assert documents.original(page.document.content_hash) == (source / "guide.md").read_bytes()
    with pytest.raises(LookupError, match="no longer available"):
        documents.page(999)
    with pytest.raises(LookupError, match="no longer available"):
        documents.original("0" * 64)


def test_generations_are_compared_by_file_and_content(database: Database, tmp_path: Path) -> None:
    source = write_beacon(tmp_path / "docs")
    ingest_beacon(database, source)
    first = serving(database)
    write_beacon(source, mast=15)
    (source / "reference" / "alarms.md").unlink()
    write(source, notes="# Notes\n\nNew.")
    ingest_beacon(database, source)
    difference = Documents(database).difference(first, serving(database))
    assert difference.only_first == ("reference/alarms.md",)
    assert difference.only_second == ("notes.md",)
    assert difference.changed == ("guide.md",)
