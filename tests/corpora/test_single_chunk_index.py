from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.database.engine import Database, open_database
from corpora.generations import generations
from corpora.indexing import single_chunks as module
from corpora.indexing.corpus import Corpus, open_corpus
from corpora.indexing.retrieval import RetrievalSettings, retrieve_by_vector
from corpora.indexing.single_chunks import SingleChunkIndex, single_chunks
from ingestion.page import Block, BlockKind, Page
from tests.corpora.beacon import ingest_beacon, many_pages, write, write_beacon
from tests.data_folders import copy_data, database_url
from tests.hash_embedder import HashEmbedder

LISTING = (
    "# Listing\n\n```\n" + "\n".join(f"set value{i} on port{i}" for i in range(300)) + "\n```\n"
)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two releases; one has more than ten single chunks and a long page."""
    folder = tmp_path_factory.mktemp("ingested")
    database = open_database(database_url(folder / "data"))
    docs = write(many_pages(write_beacon(folder / "docs"), files=1, sections=8), listing=LISTING)
    ingest_beacon(database, docs)
    ingest_beacon(database, write_beacon(folder / "other", mast=99), release="17.20")
    database.close()
    return folder / "data"


@pytest.fixture
def data_dir(ingested: Path, tmp_path: Path) -> Path:
    """A copy for each test, since embedding writes into it."""
    return copy_data(ingested, tmp_path / "data")


@pytest.fixture
def corpus(database: Database, data_dir: Path) -> Iterator[Corpus]:
    corpus = open_corpus(database, data_dir, "Beacon", "17.10")
    yield corpus
    corpus.close()


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXTS_AT_ONCE", 3)


def embed_all(index: SingleChunkIndex, embedder: HashEmbedder) -> HashEmbedder:
    while index.embed_some(embedder):
        pass
    return embedder


def everything(index: SingleChunkIndex) -> list[int]:
    return [i for i, _ in index.nearest(HashEmbedder().embed(["anything"])[0], 1000)]


def test_each_page_of_the_open_generation_is_one_chunk_and_a_long_one_several(
    database: Database, corpus: Corpus, tmp_path: Path
) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs", mast=15))
    embed_all(corpus.single_chunks, HashEmbedder())
    spans: dict[int, list[tuple[int, int]]] = {}
    for number in everything(corpus.single_chunks):
        chunk = corpus.single_chunks.chunk(number)
        spans.setdefault(chunk.page_id, []).append((chunk.start, chunk.end))
    pages = [page for d in corpus.documents() for page in corpus.pages_of(d.id)]
    # Of no later generation, and of no other release.
    assert spans.keys() == {page.id for page in pages}
    long = [page for page in pages if len(page.text) > 3000]
    assert long
    for page in pages:
        cut = sorted(spans[page.id])
        assert (len(cut) > 1) == (page in long)
        assert (cut[0][0], cut[-1][1]) == (0, len(page.text))


def test_a_chunk_is_found_by_its_heading_and_text(corpus: Corpus) -> None:
    embed_all(corpus.single_chunks, HashEmbedder())
    query = HashEmbedder().embed(["installation guide mounting mast metres bolt"])[0]
    near = corpus.single_chunks.nearest(query, 3)
    assert "12 metres" in corpus.page(corpus.single_chunks.chunk(near[0][0]).page_id).text
    vectors = corpus.single_chunks.vectors([i for i, _ in near])
    np.testing.assert_allclose(vectors @ query, [score for _, score in near], atol=1e-6)
    assert [score for _, score in near] == sorted((score for _, score in near), reverse=True)


def test_what_was_embedded_before_a_stop_is_not_embedded_again(
    database: Database, corpus: Corpus
) -> None:
    stopped = HashEmbedder()
    left = corpus.single_chunks.embed_some(stopped)
    with pytest.raises(RuntimeError, match="embed_some"):
        corpus.single_chunks.nearest(np.zeros(384, dtype=np.float32), 1)
    rest = embed_all(SingleChunkIndex(database, corpus.generation), HashEmbedder())
    assert len(rest.embedded) == left
    assert not set(rest.embedded) & set(stopped.embedded)
    index = SingleChunkIndex(database, corpus.generation)
    assert embed_all(index, HashEmbedder()).embedded == []
    embed_all(corpus.single_chunks, HashEmbedder())
    numbers = everything(index)
    assert np.array_equal(index.vectors(numbers), corpus.single_chunks.vectors(numbers))


def test_vectors_that_an_ingest_removed_are_computed_again(
    database: Database, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = embed_all(corpus.single_chunks, HashEmbedder())
    monkeypatch.setattr(generations, "KEPT_FOR_ROLLBACK", 0)
    ingest_beacon(database, write_beacon(tmp_path / "other", mast=98), release="17.20")
    assert everything(corpus.single_chunks)
    again = embed_all(SingleChunkIndex(database, corpus.generation), HashEmbedder())
    assert sorted(again.embedded) == sorted(first.embedded)


def test_another_embedder_is_refused(corpus: Corpus) -> None:
    other = HashEmbedder()
    other.name = "other-words"
    with pytest.raises(ValueError, match="hashed-words, not other-words"):
        corpus.single_chunks.embed_some(other)


def test_two_by_cosine_and_two_by_mmr_are_found_for_each_query(corpus: Corpus) -> None:
    index = corpus.single_chunks
    embed_all(index, HashEmbedder())
    settings = RetrievalSettings.of_the_paper()
    queries = ["section word0x1x5 word0x2x7 word0x3x9", "alarm lamp current"]
    each = [retrieve_by_vector(index, HashEmbedder(), [q], settings=settings) for q in queries]
    for query, found in zip(queries, each, strict=True):
        assert 2 <= len(found) <= 4
        nearest = index.nearest(HashEmbedder().embed([query])[0], 2)
        assert [i for i, _ in nearest] == [i for i, _ in found[:2]]
    together = retrieve_by_vector(index, HashEmbedder(), queries, settings=settings)
    numbers = [i for i, _ in together]
    assert len(numbers) == len(set(numbers))
    assert set(numbers) == {i for found in each for i, _ in found}
    best = index.vectors(numbers) @ HashEmbedder().embed(queries).T
    np.testing.assert_allclose([score for _, score in together], best.max(axis=1), atol=1e-6)
    assert [s for _, s in together] == sorted((s for _, s in together), reverse=True)


def page_of(text: str) -> Page:
    return Page(7, (Block(BlockKind.PARAGRAPH, text, ("Top",)),))


@given(
    st.text() | st.lists(st.text("ab \n", max_size=9), max_size=60).map(" ".join),
    st.integers(1, 300),
)
def test_chunks_cover_the_page_within_the_limit(text: str, limit: int) -> None:
    chunks = single_chunks(page_of(text), limit=limit)
    covered = 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.start <= covered < chunk.end
        assert len(chunk.text) <= limit
        covered = chunk.end
    assert covered == len(text)


def test_a_page_within_the_limit_is_one_chunk() -> None:
    (chunk,) = single_chunks(page_of("x " * 1500))
    assert (chunk.start, chunk.end, chunk.heading) == (0, 3000, "Top")


def test_neighbours_share_a_quarter_and_begin_with_a_word() -> None:
    text = " ".join(f"word{i}" for i in range(2000))
    chunks = single_chunks(page_of(text))
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert 750 <= before.end - after.start <= 760
        assert after.text.startswith("word")
        assert before.text.endswith(" ")
