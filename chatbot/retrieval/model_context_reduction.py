"""Step 3 of QAMR III-B by a language model: what helps to answer, copied letter for letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.retrieval.records import records
from chatbot.runtime.concurrency import in_thread, together
from chatbot.runtime.model_calls import ask_for
from chatbot.text.verbatim import find_verbatim
from chatbot.turn import (
    Fallback,
    ModelCall,
    ModelStep,
    Record,
    ReducedChunk,
    RetrievedChunk,
    RuleStep,
    Turn,
)
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from prompts import fenced, render

STEP = "context_reduction"
_MOST_PLACES = 2


class Reduction(BaseModel):
    """What the model copied from one chunk."""

    needs: str = Field(max_length=1000)
    spans: list[str] = Field(max_length=20)


@dataclass(frozen=True)
class _Reduced:
    """What became of one chunk: no records if it does not help, None if the model failed."""

    chunk: RetrievedChunk
    records: tuple[Record, ...] | None
    calls: tuple[ModelCall, ...]


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

    async def reduce_one(question: str, chunk: RetrievedChunk, corpus: Corpus) -> _Reduced:
        section = " › ".join(dict.fromkeys((chunk.page.document.title, *chunk.page.heading_path)))
        messages = render(
            STEP,
            question=fenced("question", question),
            chunk=fenced("chunk", chunk.text, section=section),
        )
        reply, calls = await ask_for(model, messages, Reduction, step=STEP, max_tokens=max_tokens)
        if reply is None:
            return _Reduced(chunk, None, calls)
        kept = await in_thread(_records, tuple(dict.fromkeys(reply.spans)), chunk, corpus)
        return _Reduced(chunk, kept, calls)

    async def reduce_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        corpus = await in_thread(open_corpus, *turn.asked)
        question = turn.queries.base
        done = await together(reduce_one(question, c, corpus) for c in turn.retrieved)
        failed = [d for d in done if d.records is None]
        reduced = [ReducedChunk(d.chunk.page, d.records, d.chunk.score) for d in done if d.records]
        turn = replace(turn, calls=(*turn.calls, *(c for d in done for c in d.calls)))
        if failed:
            by_rule = replace(turn, retrieved=tuple(d.chunk for d in failed))
            reduced = _in_order(turn, [*reduced, *(await in_thread(fallback, by_rule)).reduced])
            reason = f"{len(failed)} of {len(done)} chunks: {failed[0].calls[-1].problem}"
            turn = replace(turn, fallbacks=(*turn.fallbacks, Fallback(STEP, reason)))
        return replace(turn, reduced=tuple(reduced))

    return reduce_step


def _in_order(turn: Turn, reduced: Sequence[ReducedChunk]) -> list[ReducedChunk]:
    """The chunks as retrieval ranked and scored them, whoever reduced them."""
    places = {chunk.page.id: i for i, chunk in enumerate(turn.retrieved)}
    found = sorted(reduced, key=lambda c: places.get(c.page.id, len(places)))
    return [
        replace(c, score=turn.retrieved[places[c.page.id]].score) if c.page.id in places else c
        for c in found
    ]


def _records(spans: Sequence[str], chunk: RetrievedChunk, corpus: Corpus) -> tuple[Record, ...]:
    """The spans that stand in the chunk, each as it stands on its page, with its heading."""
    pages = list(_pages(corpus, chunk.page))
    found: dict[tuple[int, str], Record] = {}
    for span in spans:
        if find_verbatim(span, chunk.text) is None:
            continue
        for record in _of_span(span, pages):
            found.setdefault((record.page.id, record.quote), replace(record, score=chunk.score))
    return tuple(found.values())


def _pages(corpus: Corpus, page: StoredPage) -> Iterator[StoredPage]:
    """The page of a context chunk and those that its padding comes from."""
    yield page
    for neighbour in (page.previous_id, page.next_id):
        if neighbour is not None:
            yield corpus.page(neighbour)


def _of_span(span: str, pages: Sequence[StoredPage]) -> list[Record]:
    """The whole records that hold a span, so that no figure is cut; else the span alone.

    A span that stands in many records says nothing by itself and is dropped.
    """
    for page in pages:
        quote = find_verbatim(span, page.text)
        if quote is None:
            continue
        whole = [r for r in records(page) if quote in r.quote]
        if len(whole) > _MOST_PLACES:
            return []
        return whole or [_bare(quote, page)]
    return []


def _bare(quote: str, page: StoredPage) -> Record:
    at = page.text.find(quote)
    block = next(b for start, end, b in page.page.spans() if start <= at < end)
    return Record(
        page=page,
        start=at,
        quote=quote,
        label=block.path[-1] if block.path else page.document.title,
        reading=quote,
        kind=block.kind,
        anchor=block.anchor or page.anchor,
        path=block.path,
    )
