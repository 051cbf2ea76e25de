"""Queries → scored search chunks → context chunks, within one release (QAMR III-B, step 2)."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

import numpy as np

from corpora.catalog.release import releases_named
from corpora.errors import EmbedderFailed
from corpora.indexing.corpus import Corpus
from corpora.indexing.cross_encoder import BEST, Reranker
from corpora.indexing.embedding import Embedder, Vectors, embedder_named
from corpora.indexing.pages import StoredPage
from corpora.indexing.single_chunks import SingleChunkIndex
from ingestion.page import DocumentKind

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RetrievalSettings:
    """How search chunks are found and weighed; measured in docs/decisions/."""

    cosine_per_query: int = 2
    mmr_per_query: int = 2
    mmr_candidates: int = 20
    lexical_candidates: int = 60
    dense_share: float = 0.5
    other_release_weight: float = 0.5
    kind_weights: Mapping[DocumentKind, float] = field(
        default_factory=lambda: {
            DocumentKind.RELEASE_NOTES: 0.75,
            DocumentKind.SOURCE_LISTING: 0.7,
        }
    )

    @classmethod
    def of_the_paper(cls) -> Self:
        """2 chunks by cosine and 2 by MMR a query, ranked by cosine alone (QAMR IV-E, table II)."""
        return cls(lexical_candidates=0, dense_share=1.0, other_release_weight=1.0, kind_weights={})


def query_vectors(corpus: Corpus, embedder: Embedder, queries: Sequence[str]) -> Vectors:
    """The queries as the corpus was embedded; none where its embedder is not there, or fails."""
    own = embedder_named(corpus.embedder, embedder)
    try:
        if own is not None:
            return own.embed_queries(queries)
    except EmbedderFailed as error:
        _log.warning("%s %s is searched by words alone: %s", corpus.product, corpus.release, error)
    return np.empty((0, corpus.dimension), dtype=np.float32)


def retrieve(
    corpus: Corpus,
    queries: Sequence[str],
    vectors: Vectors,
    terms: Mapping[str, float],
    *,
    limit: int,
    settings: RetrievalSettings,
    weigh_kinds: bool = True,
    reranker: Reranker | None = None,
) -> list[tuple[StoredPage, float]]:
    """Find the pages that fit best with their scores, best first.

    The paper's 2 cosine and 2 MMR chunks a query, by its `query_vectors`, and the best BM25 chunks
    for the weighted `terms` are candidates; each is scored by its BM25 and its cosine, both divided
    by their maximum. `weigh_kinds` lowers release notes and source listings, for questions that do
    not ask about changes; release notes of another release are always lowered. With a `reranker`
    the best chunks rank by its score of the first query with each, before the others. Raises
    RerankerFailed.
    """
    lexical = _lexical_scores(corpus, terms, settings.lexical_candidates)
    ids, rows = _candidates(corpus, vectors, settings, lexical)
    if not ids:
        return []
    cosine = np.maximum((rows @ vectors.T).max(axis=1, initial=0.0), 0.0)
    bm25 = np.array([lexical.get(i, 0.0) for i in ids])
    share = settings.dense_share if len(vectors) else 0.0
    scores = share * _by_maximum(cosine) + (1 - share) * _by_maximum(bm25)
    if reranker:
        scores = _reranked(corpus, reranker, queries[0], ids, scores)

    best: dict[int, float] = {}
    for (page_id, document), score in zip(corpus.places(ids), scores, strict=True):
        weight = settings.kind_weights.get(document.kind, 1.0) if weigh_kinds else 1.0
        if document.kind is DocumentKind.RELEASE_NOTES:
            # The notes on 4.0.0 are those of 4.0.2, too.
            named = releases_named(document.title, corpus.release, parts=2)
            weight *= settings.other_release_weight if named.other and not named.own else 1.0
        best[page_id] = max(best.get(page_id, -math.inf), float(score) * weight)
    first = sorted(best, key=lambda page_id: (-best[page_id], page_id))[:limit]
    return [(page, best[page.id]) for page in corpus.pages(first)]


def retrieve_by_vector(
    chunks: Corpus | SingleChunkIndex,
    embedder: Embedder,
    queries: Sequence[str],
    *,
    settings: RetrievalSettings,
) -> list[tuple[int, float]]:
    """Find each query's cosine and MMR chunks, each once, best first (QAMR IV-E, table II).

    Returns pairs of chunk id and its highest cosine to one of the queries.
    """
    vectors = embedder.embed_queries(queries)
    ids, rows = _candidates(chunks, vectors, settings)
    if not ids:
        return []
    cosine = (rows @ vectors.T).max(axis=1)
    found = [(i, float(score)) for i, score in zip(ids, cosine, strict=True)]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _lexical_scores(corpus: Corpus, terms: Mapping[str, float], limit: int) -> dict[int, float]:
    """BM25 of the terms of full weight, and on top of it that of the others at their weight."""
    scores: dict[int, float] = {}
    for weight in sorted(set(terms.values()), reverse=True):
        alike = [term for term, w in terms.items() if w == weight]
        for chunk_id, score in corpus.lexical(alike, limit):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * score
    return scores


def _reranked(
    corpus: Corpus, reranker: Reranker, query: str, ids: Sequence[int], scores: np.ndarray
) -> np.ndarray:
    """The scores of the best chunks anew, each above those of the others."""
    best = np.argsort(-scores, kind="stable")[:BEST]
    chunks = corpus.chunks([ids[i] for i in best])
    found = reranker.score(query, [chunks[ids[i]].text for i in best])
    again = scores.copy()
    again[best] = 1.0 + np.asarray(found)
    return again


def _by_maximum(scores: np.ndarray) -> np.ndarray:
    top = scores.max(initial=0.0)
    return scores / top if top > 0 else scores


def _candidates(
    chunks: Corpus | SingleChunkIndex,
    vectors: Vectors,
    settings: RetrievalSettings,
    others: Iterable[int] = (),
) -> tuple[list[int], Vectors]:
    """The `others` and each query's cosine and MMR chunks, each once, with their vectors."""
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    found = chunks.nearest_of_each(vectors, settings.mmr_candidates)
    nearest = [[i for i, _ in of_one] for of_one in found]
    chosen = dict.fromkeys(others)
    places = {i: n for n, i in enumerate(dict.fromkeys(chain(chosen, *nearest)))}
    if not places:
        return [], vectors[:0]
    rows = chunks.vectors(list(places))
    for vector, near in zip(vectors, nearest, strict=True):
        beside = list(rows[[places[i] for i in near]])
        diverse = maximal_marginal_relevance(vector, beside, k=settings.mmr_per_query)
        chosen.update(
            dict.fromkeys([*near[: settings.cosine_per_query], *(near[i] for i in diverse)])
        )
    return list(chosen), rows[[places[i] for i in chosen]]
