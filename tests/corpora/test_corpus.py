import gc
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database, open_database
from corpora.errors import BrokenIndex, NoCorpus
from corpora.indexing import indexes
from corpora.indexing.corpus import Corpus, OpenCorpora, open_corpus
from corpora.indexing.dual_chunking import context_chunk, search_chunks
from ingestion.listing import list_files
from ingestion.page import BlockKind, Document, DocumentKind
from ingestion.reading import read_files
from tests.corpora.beacon import ingest_beacon, many_pages, write, write_beacon
from tests.data_folders import database_url
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

TABLE = """# Limits

## Rates

| Interface | Rate |
|---|---|
| fast | 10 |
| slow | 1 |

```
set rate 10
```
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases with documents of several kinds."""
    folder = tmp_path_factory.mktemp("corpus")
    database = open_database(database_url(folder / "data"))
    write(many_pages(folder / "new", files=2), limits=TABLE)
    ingest_beacon(database, write_beacon(folder / "new", mast=15), release="17.20")
    ingest_beacon(database, write_beacon(folder / "old", mast=12), release="17.10")
    database.close()
    return folder


@pytest.fixture
def stored(folder: Path) -> Iterator[Database]:
    database = open_database(database_url(folder / "data"))
    yield database
    database.close()


@pytest.fixture
def corpus(folder: Path, stored: Database) -> Iterator[Corpus]:
    corpus = open_corpus(stored, folder / "data", "beacon", "17.20")
    yield corpus
    corpus.close()


@pytest.fixture
def read(folder: Path) -> dict[str, Document]:
    """The same documents, as the loaders yield them."""
    found = [
        d for d in read_files(list_files([folder / "new"]), workers=1) if isinstance(d, Document)
    ]
    return {document.file: document for document in found}


def test_pages_come_back_as_they_were_read(corpus: Corpus, read: dict[str, Document]) -> None:
    documents = corpus.documents()
    assert [d.file for d in documents] == sorted(read)
    kinds = set()
    for document in documents:
        pages = corpus.pages_of(document.id)
        of_file = read[document.file].pages
        assert [(p.number, p.blocks) for p in pages] == [(p.number, p.blocks) for p in of_file]
        assert [p.text for p in pages] == [p.text for p in of_file]
        assert [p.previous_id for p in pages] == [None, *(p.id for p in pages[:-1])]
        assert [p.next_id for p in pages] == [*(p.id for p in pages[1:]), None]
        assert [corpus.page(p.id) for p in pages] == list(pages)
        assert {p.document for p in pages} == {document}
        kinds |= {block.kind for page in pages for block in page.blocks}
    assert {BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.HEADING} <= kinds
    guide = next(d for d in documents if d.file == "guide.md")
    assert (guide.title, guide.format) == ("Installation guide", "md")
    assert guide.kind in DocumentKind


def test_context_chunks_are_those_of_the_document(
    corpus: Corpus, read: dict[str, Document]
) -> None:
    for document in corpus.documents():
        pages = read[document.file].pages
        for index, page in enumerate(corpus.pages_of(document.id)):
            for padding in (0, 100):
                expected = context_chunk(pages, index, padding=padding)
                assert corpus.context_chunk(page.id, padding) == expected


def test_the_index_holds_every_search_chunk(corpus: Corpus, read: dict[str, Document]) -> None:
    near = corpus.nearest(HashEmbedder().embed(["anything"])[0], 10_000)
    chunks = corpus.chunks(i for i, _ in near)
    found = {(corpus.page(c.page_id).document.file, c.page_id, c.start) for c in chunks.values()}
    expected = [c for d in read.values() for page in d.pages for c in search_chunks(page)]
    assert len(near) == len(found) == len(expected) == corpus.size
    assert sorted(c.text for c in chunks.values()) == sorted(c.text for c in expected)


def test_the_nearest_chunk_is_the_most_alike(corpus: Corpus) -> None:
    vector = HashEmbedder().embed(["fast rate 10 limits rates interface"])[0]
    near = corpus.nearest(vector, 5)
    vectors = corpus.vectors([i for i, _ in near])
    assert vectors.shape == (5, 384)
    np.testing.assert_allclose(vectors @ vector, [score for _, score in near], atol=1e-5)
    assert corpus.page(corpus.chunk(near[0][0]).page_id).document.file == "limits.md"


def test_terms_are_found_in_text_headings_and_file_names(corpus: Corpus) -> None:
    for terms, file in ((["metr"], "guide.md"), (["part"], "part0.md"), (["alarm"], None)):
        found = corpus.lexical(terms, 20)
        assert found, terms
        files = {corpus.page(c.page_id).document.file for c in corpus.chunks(dict(found)).values()}
        assert (file or "reference/alarms.md") in files
    assert corpus.frequency("mast") > 0
    assert corpus.frequency("unheard-of") == 0
    assert corpus.idf("unheard-of") > corpus.idf("mast") > 0


def test_a_release_is_a_wall(folder: Path, stored: Database, corpus: Corpus) -> None:
    other = open_corpus(stored, folder / "data", "Beacon", "17.10")
    (theirs, _), *_ = other.lexical(["mast"], 1)
    page_id = other.chunk(theirs).page_id
    document = other.page(page_id).document
    for ask in (
        lambda: corpus.chunk(theirs),
        lambda: corpus.vectors([theirs]),
        lambda: corpus.page(page_id),
        lambda: corpus.context_chunk(page_id),
        lambda: corpus.original(document.content_hash),
    ):
        with pytest.raises(LookupError):
            ask()
    assert corpus.pages_of(document.id) == ()
    assert "12 metres" in other.page(page_id).text
    assert "12 metres" not in str([corpus.pages_of(d.id) for d in corpus.documents()])
    other.close()


def test_a_corpus_serves_many_threads(corpus: Corpus) -> None:
    def ask(number: int) -> object:
        near = corpus.nearest(HashEmbedder().embed([f"word1x{number % 12}x5"])[0], 3)
        ranked = corpus.lexical([f"word1x{number % 12}x5"], 3)
        pages = [corpus.page(c.page_id).id for c in corpus.chunks(dict(near + ranked)).values()]
        return near, ranked, pages

    alone = [ask(number) for number in range(12)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(96))) == alone * 8


def test_nothing_published_is_said_with_what_there_is(folder: Path, stored: Database) -> None:
    for product, release in (("Beacon", "18.00"), ("Buoy", "17.10")):
        with pytest.raises(NoCorpus, match=r"Available: Beacon 17\.10, Beacon 17\.20\."):
            open_corpus(stored, folder / "data", product, release)


def _each_file(change: Callable[[bytes], bytes], pattern: str = "*") -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        for file in filter(Path.is_file, place.rglob(pattern)):
            file.write_bytes(change(file.read_bytes()))

    return damage


def _a_file_for_the_folder(place: Path) -> None:
    shutil.rmtree(place)
    place.write_text("no folder")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "gone": shutil.rmtree,
    "all gone": lambda place: shutil.rmtree(place.parent),
    "a file for the folder": _a_file_for_the_folder,
    "empty": _each_file(lambda data: b""),
    "zeros": _each_file(lambda data: bytes(len(data))),
    "halved": _each_file(lambda data: data[: len(data) // 2]),
    "vectors gone": lambda place: shutil.rmtree(*place.glob("vectors-*")),
    "words gone": lambda place: (place / "lexical.db").unlink(),
    "words empty": _each_file(lambda data: b"", "lexical.db"),
    "words zeros": _each_file(lambda data: bytes(len(data)), "lexical.db"),
    "a level cut short": _each_file(lambda data: data[:1000], "data_level0.bin"),
    "no manifest": lambda place: (place / "manifest.json").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_missing_or_broken_index_is_noticed_and_built_again_while_the_other_serves(
    folder: Path,
    tmp_path: Path,
    stored: Database,
    corpus: Corpus,
    damage: Callable[[Path], None],
) -> None:
    data_dir = tmp_path / "copy"
    shutil.copytree(folder / "data" / "generations", data_dir / "generations")
    vector = HashEmbedder().embed(["the mast of the beacon"])[0]
    with closing(OpenCorpora(stored, data_dir)) as corpora:
        other = corpora.corpus("Beacon", "17.10")
        serving = other.nearest(vector, 3), other.lexical(["mast"], 3)
        damage(data_dir / "generations" / str(corpus.generation))
        with pytest.raises(BrokenIndex):
            indexes.check_indexes(stored, data_dir, corpus.generation)
        other = corpora.corpus("Beacon", "17.10")
        assert (other.nearest(vector, 3), other.lexical(["mast"], 3)) == serving
        rebuilt = corpora.corpus("Beacon", "17.20")
        assert rebuilt.nearest(vector, 3) == corpus.nearest(vector, 3)
        assert rebuilt.lexical(["mast"], 3) == corpus.lexical(["mast"], 3)
    indexes.check_indexes(stored, data_dir, corpus.generation)
    left = {path.name for path in (data_dir / "generations").iterdir()}
    assert all(name.isdecimal() for name in left)


def test_an_intact_index_is_not_built_again_while_others_use_it(
    folder: Path, stored: Database, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object) -> None:
        raise AssertionError("built again")

    corpus.nearest(HashEmbedder().embed(["mast"])[0], 1)
    monkeypatch.setattr(indexes, "build_indexes", build)
    again = open_corpus(stored, folder / "data", "Beacon", "17.20")
    assert again.size == corpus.size
    again.close()


def test_open_corpora_turn_to_what_serves_and_let_the_old_one_be_used(
    database: Database, data_dir: Path, tmp_path: Path
) -> None:
    corpora = OpenCorpora(database, data_dir)
    ingest_beacon(database, write_beacon(tmp_path / "docs", mast=12))
    old = corpora.corpus("Beacon", "17.10")
    assert corpora.corpus(" beacon", "17.10") is old
    ingest_beacon(database, write_beacon(tmp_path / "docs", mast=15))
    new = corpora.corpus("Beacon", "17.10")
    assert new is not old
    for corpus, height in ((old, "12 metres"), (new, "15 metres")):
        (found, _), *_ = corpus.lexical(["mast"], 1)
        assert height in corpus.chunk(found).text
    index = old._lexical
    del old, corpus
    gc.collect()
    assert corpora.corpus("Beacon", "17.10") is new
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        index.search(["mast"], 1)
    Catalog(database).rollback("Beacon", "17.10")
    (found, _), *_ = corpora.corpus("Beacon", "17.10").lexical(["mast"], 1)
    assert "12 metres" in corpora.corpus("Beacon", "17.10").chunk(found).text
    ReleaseAdministration(database).change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    with pytest.raises(NoCorpus):
        corpora.corpus("Beacon", "17.10")
    corpora.close()


def test_threads_share_a_corpus_and_the_one_unused_for_longest_is_closed(
    folder: Path, stored: Database
) -> None:
    corpora = OpenCorpora(stored, folder / "data", limit=1)
    index = corpora.corpus("Beacon", "17.10")._lexical
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: corpora.corpus("Beacon", "17.20"), range(16)))
    assert len({id(corpus) for corpus in found}) == 1
    assert corpora.corpus("Beacon", "17.20") is found[0]
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        index.search(["mast"], 1)
    corpora.close()
