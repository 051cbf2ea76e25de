from pathlib import Path

import pytest

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.documents.documents import Documents
from tests.corpora.beacon import ingest_beacon, write, write_beacon

pytestmark = pytest.mark.database


def serving(database: Database) -> int:
    return Catalog(database).serving("Beacon", "17.10").generation


def test_thousands_of_documents_come_in_pages(database: Database, tmp_path: Path) -> None:
    texts = {f"part{number:02}": f"# Part {number}\n\nWord {number}." for number in range(30)}
    ingest_beacon(database, write(tmp_path / "docs", **texts))
    documents = Documents(database)
    generation = serving(database)
    assert documents.count(generation) == 30
    page = documents.find(generation, offset=25, limit=25)
    assert [d.file for d in page] == [f"part{n}.md" for n in range(25, 30)]
    assert documents.count(generation, "PART 1") == 12
    assert documents.count(generation, "%") == documents.count(generation, "part00 part01") == 0
    assert len(documents.find(generation, "part 1", limit=2)) == 2


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
