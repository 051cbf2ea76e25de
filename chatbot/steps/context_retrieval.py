"""Step 2 of QAMR III-B: from the release's own corpus, context chunks without duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from chatbot.turn import RetrievedChunk, RuleStep, Turn
from chatbot.words import search_terms
from corpora.corpus import Corpus
from corpora.embedding import Embedder
from corpora.retrieval import RetrievalSettings, retrieve

_ASKS_FOR_CHANGES = re.compile(
    r"\b(chang\w*|new in|what'?s new|added|removed|introduc\w+|deprecat\w+|renam\w+|migrat\w+|"
    r"upgrad\w+|replac\w+|release notes?|changelog|since|fixed|bug ?fix\w*|no longer)\b",
    re.I,
)


def asks_for_changes(question: str) -> bool:
    """Whether the question is about what changed, which release notes answer best."""
    return bool(_ASKS_FOR_CHANGES.search(question))


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
