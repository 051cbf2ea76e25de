from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from corpora.database.engine import Database
from corpora.indexing.corpus import Corpus, open_corpus
from corpora.indexing.retrieval import (
    RetrievalSettings,
    query_vectors,
    retrieve,
    retrieve_by_vector,
)
from ingestion.page import DocumentKind
from tests.corpora.beacon import ingest_beacon, write, write_beacon
from tests.hash_embedder import HashEmbedder


@pytest.fixture
def corpus(database: Database, data_dir: Path, tmp_path: Path) -> Iterator[Corpus]:
    notes = "# Release notes\n\n## Changes in 17.10\n\nThe mast of the beacon is higher now.\n"
    ingest_beacon(database, write(write_beacon(tmp_path / "docs"), release_notes=notes))
    corpus = open_corpus(database, data_dir, "Beacon", "17.10")
    yield corpus
    corpus.close()


def test_the_papers_retrieval_ranks_by_cosine_alone(corpus: Corpus) -> None:
    queries = ["mast of the beacon", "lamp current alarm"]
    settings = RetrievalSettings.of_the_paper()
    vectors = query_vectors(corpus, HashEmbedder(), queries)
    terms = {"volt": 1.0, "p1": 1.0}
    found = retrieve(corpus, queries, vectors, terms, limit=12, settings=settings)
    by_vector = dict(retrieve_by_vector(corpus, HashEmbedder(), queries, settings=settings))
    of_page: dict[int, float] = {}
    for chunk in corpus.chunks(by_vector).values():
        of_page[chunk.page_id] = max(of_page.get(chunk.page_id, 0.0), by_vector[chunk.id])
    assert {page.id for page, _ in found} == of_page.keys()
    best = [of_page[page.id] for page, _ in found]
    np.testing.assert_allclose([score for _, score in found], np.array(best) / max(best))
    assert DocumentKind.RELEASE_NOTES in {page.document.kind for page, _ in found}


@pytest.mark.parametrize(("of", "weight"), [("17.10.0", 1.0), ("17.9.0", 0.5)])
def test_notes_on_another_release_weigh_less_and_those_on_ones_own_series_do_not(
    database: Database, data_dir: Path, tmp_path: Path, of: str, weight: float
) -> None:
    notes = f"# Release notes {of}\n\nThe mast of the beacon is higher now.\n"
    ingest_beacon(database, write(write_beacon(tmp_path / "docs"), release_notes=notes))
    corpus = open_corpus(database, data_dir, "Beacon", "17.10")
    queries = ["Is the mast higher?"]
    vectors = query_vectors(corpus, HashEmbedder(), queries)

    def score(settings: RetrievalSettings) -> float:
        terms = {"mast": 1.0, "higher": 1.0}
        found = retrieve(corpus, queries, vectors, terms, limit=12, settings=settings)
        kinds = {page.document.kind: score for page, score in reversed(found)}
        return kinds[DocumentKind.RELEASE_NOTES]

    alike = score(RetrievalSettings(other_release_weight=1.0))
    assert score(RetrievalSettings()) == pytest.approx(weight * alike)
    corpus.close()
