from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from corpora.building.removal import delete_release
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.errors import BrokenIndex
from corpora.generations.generations import generation_schema
from corpora.indexing import indexes, postgresql_indexes
from corpora.indexing.corpus import Corpus, open_corpus
from corpora.indexing.lexical import LexicalRow, tokens
from corpora.indexing.postgresql_indexes import PgVectors, is_built
from tests.corpora.beacon import ingest_beacon, many_pages, write, write_beacon
from tests.hash_embedder import HashEmbedder
from tests.postgresql import Cluster, cluster

pytestmark = pytest.mark.slow

MANUALS = Path(__file__).parents[2] / "examples/languages"


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster(pgvector=True) as server:
        yield server


@pytest.fixture
def shared(server: Cluster, data_dir: Path) -> Iterator[Database]:
    database = open_database(server.database_of(data_dir))
    with database.writing() as session:
        session.execute(text("CREATE EXTENSION vector"))
    yield database
    database.close()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_beacon(many_pages(tmp_path / "docs", files=3))


def ingested(database: Database, data_dir: Path, docs: Path) -> Corpus:
    ingest_beacon(database, docs, data_dir=data_dir)
    return open_corpus(database, data_dir, "Beacon", "17.10")


def test_they_find_what_indexes_in_a_folder_find(
    shared: Database, data_dir: Path, docs: Path, tmp_path: Path
) -> None:
    corpus = ingested(shared, data_dir, docs)
    local = open_database(sqlite_url(tmp_path / "local"))
    beside = ingested(local, tmp_path / "local", docs)
    assert corpus.size == beside.size > 30
    assert not list((data_dir / "generations").glob("*"))

    def found(corpus: Corpus, pairs: list[tuple[int, float]]) -> list[str]:
        return [corpus.chunk(chunk_id).text for chunk_id, _ in pairs]

    vector = HashEmbedder().embed(["the mast of the beacon"])[0]
    assert found(corpus, corpus.nearest(vector, 5)) == found(beside, beside.nearest(vector, 5))
    assert [c for _, c in corpus.nearest(vector, 5)] == pytest.approx(
        [c for _, c in beside.nearest(vector, 5)], abs=1e-5
    )
    for asked in ("mast bolts", "lamp-failure alarm", "supply terminal P1", "word1x3x7 word1x3x9"):
        terms = tokens(asked)
        here, there = corpus.lexical(terms, 1), beside.lexical(terms, 1)
        assert found(corpus, here) == found(beside, there)
        assert here[0][1] > 0
        assert [corpus.frequency(t) for t in terms] == [beside.frequency(t) for t in terms]
        assert [corpus.idf(t) for t in terms] == [beside.idf(t) for t in terms]
    assert corpus.similar("sectoin") == beside.similar("sectoin") == ("section",)
    beside.close()
    local.close()


def test_both_hold_the_same_terms_in_every_language(
    shared: Database, data_dir: Path, tmp_path: Path
) -> None:
    local = open_database(sqlite_url(tmp_path / "local"))
    docs = tmp_path / "docs"
    for language in ("de", "fr", "ja"):
        for topic in ("services", "holdover"):
            file = MANUALS / language / f"{topic}.md"
            write(docs, **{f"{topic}_{language}": file.read_text("utf-8")})
    held = []
    for database, folder in ((shared, data_dir), (local, tmp_path / "local")):
        corpus = ingested(database, folder, docs)
        assert corpus.languages == ("de", "fr", "ja")
        texts = (page.text for d in corpus.documents() for page in corpus.pages_of(d.id))
        terms = dict.fromkeys(term for text in texts for term in corpus.terms(text))
        held.append({term: corpus.frequency(term) for term in terms})
        words = ("Leitung", "Takt", "horloge", "周波数")
        held[-1] |= {word: len(corpus.compounds(corpus.terms(word))) for word in words}
        corpus.close()
    assert held[0] == held[1]
    assert held[0]["Takt"] == 0 < held[0]["Leitung"]
    local.close()


def test_terms_that_match_nothing_do_no_harm(
    shared: Database, data_dir: Path, tmp_path: Path
) -> None:
    corpus = ingested(shared, data_dir, write_beacon(tmp_path / "docs"))
    for term in ("nowhere", "'", "'; DROP TABLE chunks", "mast | x", "\x00", "\\"):
        assert corpus.lexical([term], 5) == []
    assert corpus.lexical([], 5) == []


def test_a_question_of_very_many_words_is_ranked_by_the_rarest(
    shared: Database, data_dir: Path, tmp_path: Path
) -> None:
    corpus = ingested(shared, data_dir, write_beacon(many_pages(tmp_path / "docs", files=1)))
    terms = [*(f"word0x{section}x{n}" for section in range(8) for n in range(200)), "mast"]
    (best, score), *_ = corpus.lexical(terms, 1)
    assert "word0x" in corpus.chunk(best).text
    assert score > 0


def test_another_machine_needs_nothing_but_the_url(
    shared: Database,
    server: Cluster,
    data_dir: Path,
    docs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = ingested(shared, data_dir, docs)

    def build(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(indexes, "build_indexes", build)
    other = open_database(server.database_of(data_dir))
    there = open_corpus(other, tmp_path / "another machine", "Beacon", "17.10")
    assert there.lexical(["mast"], 3) == here.lexical(["mast"], 3)
    assert not (tmp_path / "another machine").exists()
    other.close()


def test_they_go_with_their_release(shared: Database, data_dir: Path, docs: Path) -> None:
    generation = ingested(shared, data_dir, docs).generation
    assert is_built(shared, generation)
    delete_release(shared, data_dir, "Beacon", "17.10")
    assert not is_built(shared, generation)


def test_what_was_not_written_to_its_end_is_not_there_and_built_when_needed(
    shared: Database, data_dir: Path, docs: Path
) -> None:
    corpus = ingested(shared, data_dir, docs)
    generation, before = corpus.generation, corpus.lexical(["mast"], 3)

    def rows() -> Iterator[LexicalRow]:
        yield LexicalRow(1, "", "", "half of it")
        raise OSError("killed")

    with shared.writing() as session:
        session.execute(text(f'DROP SCHEMA "{generation_schema(generation)}" CASCADE'))
    with pytest.raises(OSError, match="killed"):
        postgresql_indexes.build(
            shared, generation, 384, [([1], np.eye(1, 384, dtype=np.float32))], rows(), print
        )
    assert not is_built(shared, generation)
    assert open_corpus(shared, data_dir, "Beacon", "17.10").lexical(["mast"], 3) == before


def test_those_that_lost_a_part_are_broken_and_can_be_built_again(
    shared: Database, data_dir: Path, docs: Path
) -> None:
    generation = ingested(shared, data_dir, docs).generation
    indexes.check_indexes(shared, data_dir, generation)
    with shared.writing() as session:
        session.execute(text(f'TRUNCATE "{generation_schema(generation)}".vectors'))
    with pytest.raises(BrokenIndex, match="0 vectors for"):
        indexes.check_indexes(shared, data_dir, generation)
    indexes.build_indexes(shared, data_dir, generation)
    indexes.check_indexes(shared, data_dir, generation)
    with shared.writing() as session:
        session.execute(text(f'DROP SCHEMA "{generation_schema(generation)}" CASCADE'))
    corpus = Corpus(shared, data_dir, Catalog(shared).serving("Beacon", "17.10"))
    with shared.writing() as session:
        session.execute(text(f'DROP SCHEMA "{generation_schema(generation)}" CASCADE'))
    with pytest.raises(BrokenIndex, match="cannot be searched"):
        corpus.lexical(["mast"], 3)


def test_several_build_the_same_at_once(shared: Database, data_dir: Path, docs: Path) -> None:
    corpus = ingested(shared, data_dir, docs)
    generation, before = corpus.generation, corpus.lexical(["mast"], 3)
    with ThreadPoolExecutor(4) as threads:
        for _ in range(4):
            threads.submit(indexes.build_indexes, shared, data_dir, generation)
    assert corpus.lexical(["mast"], 3) == before
    indexes.check_indexes(shared, data_dir, generation)


def test_the_search_is_nearly_exact(shared: Database) -> None:
    vectors = np.random.default_rng(0).normal(size=(3000, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [LexicalRow(i, "", "", "x") for i in range(len(vectors))]
    told: list[int] = []
    batches = [(range(n, n + 1000), vectors[n : n + 1000]) for n in (0, 1000, 2000)]
    postgresql_indexes.build(shared, 77, 64, batches, rows, told.append)
    assert told == [1000, 2000, 3000]
    index = PgVectors(shared, 77)
    right = 0
    for query in vectors[::100]:
        exact = set(np.argsort(-(vectors @ query))[:10].tolist())
        right += len(exact & {i for i, _ in index.nearest(query, 10)})
    assert right / 300 > 0.98
