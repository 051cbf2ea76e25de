"""Step 3 of QAMR III-B: of each context chunk only what helps to answer, letter for letter."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.retrieval.question_types import question_type
from chatbot.retrieval.records import records
from chatbot.retrieval.reranking import importance_of, rank_records, rerank_records
from chatbot.retrieval.support import find_verbatim, is_verbatim
from chatbot.runtime.concurrency import in_thread, together
from chatbot.runtime.model_calls import ask_for
from chatbot.text.languages import gettext
from chatbot.text.question_language import is_foreign
from chatbot.text.words import search_terms
from chatbot.turn import (
    EMBEDDER_FAILS,
    ModelCall,
    ModelStep,
    Record,
    ReducedChunk,
    RetrievedChunk,
    RuleStep,
    Turn,
)
from corpora.errors import EmbedderFailed, RerankerFailed
from corpora.indexing.corpus import Corpus
from corpora.indexing.cross_encoder import Reranker
from corpora.indexing.embedding import Embedder
from corpora.indexing.pages import StoredPage
from prompts import fenced, render

STEP = "context_reduction"


def reduce_context(
    open_corpus: Callable[[str, str], Corpus],
    embedder: Embedder,
    *,
    budget: int,
    reranker: Reranker | None = None,
) -> RuleStep:
    """Cut every context chunk down to the records that matter under one shared budget.

    `budget` counts characters over all chunks; a chunk of which nothing is kept is dropped. With a
    `reranker` the records rank by its scores of their passages.
    """

    def reduce_step(turn: Turn) -> Turn:

        failed = False

        def similarity(query: str, texts: Sequence[str]) -> Sequence[float]:
            nonlocal failed
            try:
                (asked,) = embedder.embed_queries([query])
                return [float(v) for v in embedder.embed(texts) @ asked]
            except EmbedderFailed:
                failed = True
                return [0.0] * len(texts)

        corpus = open_corpus(*turn.target)
        subject = turn.queries.subject
        kind = question_type(turn.queries.own_subject, subject)
        terms = search_terms(subject, turn.queries.known, corpus)
        pages = [(chunk.score, _records_of(corpus, chunk)) for chunk in turn.retrieved]
        foreign = is_foreign(turn.question, corpus.languages)
        # Words of another language say nothing here.
        known = {
            term: weight for term, weight in terms.items() if corpus.frequency(term) or not foreign
        }
        importance = importance_of(known, corpus.idf)
        best = rank_records(
            subject, kind, corpus.release, importance, pages, similarity, corpus.terms
        )
        if failed:
            turn = turn.without(STEP, gettext(EMBEDDER_FAILS))
        if reranker:
            try:
                best = rerank_records(subject, best, reranker)
            except RerankerFailed as error:
                turn = turn.without(STEP, str(error))
        return replace(turn, reduced=_within(budget, best))

    return reduce_step


def keep_whole(open_corpus: Callable[[str, str], Corpus]) -> RuleStep:
    """Without reduction: every chunk with all of its records, in page order (QAMR IV-C)."""

    def keep(turn: Turn) -> Turn:
        corpus = open_corpus(*turn.target)
        whole = (
            ReducedChunk(
                c.page, tuple(replace(r, score=c.score) for r in _records_of(corpus, c)), c.score
            )
            for c in turn.retrieved
        )
        return replace(turn, reduced=tuple(chunk for chunk in whole if chunk.records))

    return keep


def _records_of(corpus: Corpus, chunk: RetrievedChunk) -> list[Record]:
    """The records of a page and of its padding; of a part of a page those that lie in it."""
    page, context = corpus.page(chunk.page.id), chunk.text
    in_context = list(records(page))
    if page.text not in context:
        return [r for r in in_context if r.quote in context]
    before, _, behind = context.partition(page.text)
    if page.previous_id is not None:
        in_context[:0] = [r for r in records(corpus.page(page.previous_id)) if r.quote in before]
    if page.next_id is not None:
        in_context += [r for r in records(corpus.page(page.next_id)) if r.quote in behind]
    return in_context


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
        ReducedChunk(of_page[0].page, tuple(of_page), of_page[0].score) for of_page in kept.values()
    )


class Reduction(BaseModel):
    """What the model copied from one chunk."""

    needs: str = Field(max_length=1000)
    spans: list[str] = Field(max_length=20)


def reduce_context_by_model(
    model: BaseChatModel,
    open_corpus: Callable[[str, str], Corpus],
    fallback: RuleStep,
    *,
    max_tokens: int = 400,
) -> ModelStep:
    """Reduce every context chunk in a call of its own, all chunks at once.

    A span that does not stand in its chunk is dropped, a chunk without spans too. What the model
    cannot reduce, the `fallback` does; a chunk keeps its source through every failure.
    """

    async def reduce_one(
        question: str, chunk: RetrievedChunk, corpus: Corpus
    ) -> tuple[ReducedChunk | None, Sequence[ModelCall]]:
        section = " › ".join(dict.fromkeys((chunk.page.document.title, *chunk.page.heading_path)))
        messages = render(
            STEP,
            question=fenced("question", question),
            chunk=fenced("chunk", chunk.text, section=section),
        )
        reply, calls = await ask_for(model, messages, Reduction, step=STEP, max_tokens=max_tokens)
        if reply is None:
            return None, calls
        kept = await in_thread(_copied, tuple(dict.fromkeys(reply.spans)), chunk, corpus)
        return ReducedChunk(chunk.page, kept, chunk.score), calls

    async def reduce_step(turn: Turn) -> Turn:
        corpus = await in_thread(open_corpus, *turn.target)
        question = turn.queries.base
        done = await together(reduce_one(question, c, corpus) for c in turn.retrieved)
        reduced = [chunk for chunk, _ in done if chunk and chunk.records]
        failed = [i for i, (chunk, _) in enumerate(done) if chunk is None]
        turn = replace(turn, calls=(*turn.calls, *(c for _, calls in done for c in calls)))
        if failed:
            left = replace(turn, retrieved=tuple(turn.retrieved[i] for i in failed))
            made = {c.page.id: c for c in (*reduced, *(await in_thread(fallback, left)).reduced)}
            # As retrieval ranked and scored them, whoever reduced them.
            ranked = [c for c in turn.retrieved if c.page.id in made]
            reduced = [replace(made[c.page.id], score=c.score) for c in ranked]
            problem = done[failed[0]][1][-1].problem
            turn = turn.without(STEP, f"{len(failed)} of {len(done)} chunks: {problem}")
        return replace(turn, reduced=tuple(reduced))

    return reduce_step


def _copied(spans: Sequence[str], chunk: RetrievedChunk, corpus: Corpus) -> tuple[Record, ...]:
    """The whole records of which spans of the chunk were copied, so that no figure is cut."""
    page = chunk.page
    around = (i for i in (page.previous_id, page.next_id) if i is not None)
    pages = [page, *map(corpus.page, around)]
    copied = [r for s in spans if is_verbatim(s, chunk.text) for r in _of_span(s, pages)]
    return tuple({record.place: replace(record, score=chunk.score) for record in copied}.values())


def _of_span(span: str, pages: Sequence[StoredPage]) -> list[Record]:
    """The records that a span is of, on the first page that has it.

    A heading is of none, and a span that stands in many places says nothing by itself.
    """
    for page in pages:
        if quote := find_verbatim(span, page.text):
            start = page.text.find(quote)
            end = start + len(quote)
            overlapping = [
                r for r in records(page) if r.start < end and start < r.start + len(r.quote)
            ]
            return overlapping if page.text.count(quote) <= 2 else []
    return []
