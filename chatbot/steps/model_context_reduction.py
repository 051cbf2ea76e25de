"""Step 3 of QAMR III-B by a language model: what helps to answer, copied letter for letter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.records import records
from chatbot.structured import ask_for
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
from chatbot.verbatim import find_verbatim
from corpora.corpus import Corpus
from corpora.pages import StoredPage
from prompts import fenced, render

STEP = "context_reduction"


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
        pages = await asyncio.to_thread(lambda: list(_pages(corpus, chunk.page)))
        found = (_record(span, chunk, pages) for span in dict.fromkeys(reply.spans))
        return _Reduced(chunk, tuple(r for r in found if r is not None), calls)

    async def reduce_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        corpus = await asyncio.to_thread(open_corpus, *turn.asked)
        question = turn.queries.base
        done = await asyncio.gather(*(reduce_one(question, c, corpus) for c in turn.retrieved))
        failed = [d for d in done if d.records is None]
        reduced = [ReducedChunk(d.chunk.page, d.records, d.chunk.score) for d in done if d.records]
        turn = replace(turn, calls=(*turn.calls, *(c for d in done for c in d.calls)))
        if failed:
            by_rule = replace(turn, retrieved=tuple(d.chunk for d in failed))
            reduced += (await asyncio.to_thread(fallback, by_rule)).reduced
            reason = f"{len(failed)} of {len(done)} chunks: {failed[0].calls[-1].problem}"
            turn = replace(turn, fallbacks=(*turn.fallbacks, Fallback(STEP, reason)))
        return replace(turn, reduced=tuple(reduced))

    return reduce_step


def _pages(corpus: Corpus, page: StoredPage) -> Iterator[StoredPage]:
    """The page of a context chunk and those that its padding comes from."""
    yield page
    for neighbour in (page.previous_id, page.next_id):
        if neighbour is not None:
            yield corpus.page(neighbour)


def _record(span: str, chunk: RetrievedChunk, pages: list[StoredPage]) -> Record | None:
    """The span as it stands on one of the pages, with its heading, if it stands in the chunk."""
    if find_verbatim(span, chunk.text) is None:
        return None
    for page in pages:
        quote = find_verbatim(span, page.text)
        if quote is not None:
            known = next((r for r in records(page) if r.quote == quote), None)
            if known is not None:
                return replace(known, score=chunk.score)
            at = page.text.find(quote)
            block = next(b for start, end, b in page.page.spans() if start <= at < end)
            return Record(
                page=page,
                quote=quote,
                label=block.path[-1] if block.path else page.document.title,
                reading=quote,
                kind=block.kind,
                anchor=block.anchor or page.anchor,
                path=block.path,
                score=chunk.score,
            )
    return None
