"""Step 2 of QAMR III-B: from the release's own corpus, context chunks without duplicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chatbot.retrieval.kinds import asks_for_changes
from chatbot.text.query_terms import search_terms
from chatbot.turn import RetrievedChunk, RuleStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder
from corpora.indexing.retrieval import RetrievalSettings, retrieve


def retrieve_context(
    open_corpus: Callable[[str, str], Corpus],
    embedder: Embedder,
    *,
    pages: int,
    padding: int,
    settings: RetrievalSettings,
) -> RuleStep:
    """Find the best search chunks by cosine, MMR and BM25 and widen them to context chunks.

    The corpus is that of the resolved release and no other (QAMR, corpus selection).
    """

    def retrieve_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        corpus = open_corpus(*turn.asked)
        found = retrieve(
            corpus,
            embedder,
            turn.queries.distinct(),
            search_terms(turn.queries.subject, turn.queries.known, corpus.product, corpus),
            limit=pages,
            settings=settings,
            weigh_kinds=not asks_for_changes(turn.question),
        )
        chunks = tuple(
            RetrievedChunk(f.page, corpus.context_chunk(f.page.id, padding).text, f.score)
            for f in found
        )
        return replace(turn, retrieved=chunks)

    return retrieve_step
