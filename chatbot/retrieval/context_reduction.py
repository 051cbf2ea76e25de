"""Step 3 of QAMR III-B without a model: keep the records that matter, letter for letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.retrieval.answer_cues import CueWeights, answer_cues
from chatbot.retrieval.kinds import asked_for
from chatbot.retrieval.records import cut_signature, records
from chatbot.retrieval.relevance import Weights, importance_of, score_records
from chatbot.retrieval.reranking import PassageWeights, lift_by_passage
from chatbot.text.query_terms import search_terms
from chatbot.turn import Record, ReducedChunk, RuleStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder


def reduce_context(
    open_corpus: Callable[[str, str], Corpus],
    embedder: Embedder,
    *,
    budget: int,
    weights: Weights,
    passage_weights: PassageWeights,
) -> RuleStep:
    """Cut every context chunk down to the records that matter under one shared budget.

    `budget` counts characters over all chunks; a chunk of which nothing is kept is dropped.
    """

    def similarity(query: str, texts: Sequence[str]) -> Sequence[float]:
        vectors = embedder.embed([query, *texts])
        return [float(v) for v in vectors[1:] @ vectors[0]]

    def reduce_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        corpus = open_corpus(*turn.asked)
        subject = turn.queries.subject
        terms = search_terms(subject, turn.queries.known, corpus.product, corpus)
        importance = importance_of(terms, corpus.idf)
        best = score_records(
            subject,
            importance,
            [
                (c.score, [cut_signature(r, subject) for r in _in_reach(corpus, c.page.id, c.text)])
                for c in turn.retrieved
            ],
            cues=answer_cues(
                subject,
                terms,
                corpus.release,
                kind=asked_for(turn.question),
                weights=CueWeights(),
            ),
            similarity=similarity,
            weights=weights,
        )
        best = lift_by_passage(subject, importance, best, similarity, passage_weights)
        return replace(turn, reduced=_within(budget, best))

    return reduce_step


def keep_whole(open_corpus: Callable[[str, str], Corpus]) -> RuleStep:
    """Without reduction: every chunk with all of its records, in page order (QAMR IV-C)."""

    def keep(turn: Turn) -> Turn:
        corpus = open_corpus(*turn.asked)
        kept = []
        for chunk in turn.retrieved:
            whole = [
                replace(r, score=chunk.score) for r in _in_reach(corpus, chunk.page.id, chunk.text)
            ]
            if whole:
                kept.append(ReducedChunk(chunk.page, tuple(whole), chunk.score))
        return replace(turn, reduced=tuple(kept))

    return keep


def _in_reach(corpus: Corpus, page_id: int, context: str) -> list[Record]:
    """The records of a page and of its padding; of a part of a page those that lie in it."""
    page = corpus.page(page_id)
    found = list(records(page))
    if page.text not in context:
        return [r for r in found if r.quote in context]
    if page.previous_id is not None:
        tail = context[: context.find(page.text)]
        found[:0] = [r for r in records(corpus.page(page.previous_id)) if r.quote in tail]
    if page.next_id is not None:
        head = context[context.find(page.text) + len(page.text) :]
        found += [r for r in records(corpus.page(page.next_id)) if r.quote in head]
    return found


def _within(budget: int, best: Sequence[Record]) -> tuple[ReducedChunk, ...]:
    kept: dict[int, list[Record]] = {}
    seen: set[str] = set()
    for record in best:
        if record.quote in seen or (kept and len(record.reading) > budget):
            continue
        seen.add(record.quote)
        kept.setdefault(record.page.id, []).append(record)
        budget -= len(record.reading)
        if budget <= 0:
            break
    return tuple(
        ReducedChunk(found[0].page, tuple(found), found[0].score) for found in kept.values()
    )
