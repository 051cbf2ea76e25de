"""A finished turn as what is printed and kept of it: its reply and its trace."""

from __future__ import annotations

from chatbot.memory.pairs import Origin
from chatbot.memory.uses import role_of
from chatbot.releases.resolution import ReleaseStatus
from chatbot.reply import (
    VERSION,
    MemoryPart,
    QueryTexts,
    RememberedPair,
    Reply,
    Side,
    Trace,
    TracedCall,
    TracedChunk,
    TracedMemory,
    TracedQueries,
    TracedRelease,
)
from chatbot.turn import Answer, ModelCall, ReducedChunk, Remembered, RetrievedChunk, Turn

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)


def reply_of(turn: Turn, profile: str, *, seconds: float | None = None, model: str = "") -> Reply:
    """The reply of an answered turn, which took `seconds`; `model` is the one that was asked."""
    resolution, answer, queries = turn.resolution, turn.answer, turn.queries
    if resolution is None or answer is None:
        raise ValueError("the turn is not answered yet")
    single = len(resolution.releases) == 1
    role, pairs = role_of(turn)
    return Reply(
        version=VERSION,
        answer=answer.text,
        abstained=answer.abstained,
        product=resolution.product,
        release=resolution.releases[0] if single else None,
        release_status=resolution.status,
        release_explanation=resolution.explanation,
        compared_releases=() if single else resolution.releases,
        available_releases=resolution.available if resolution.status in _OPEN else (),
        route=turn.route,
        queries=QueryTexts(
            base=queries.base if queries else turn.question,
            filtered=queries.filtered if queries else None,
            versionless=queries.versionless if queries else None,
        ),
        citations=answer.citations,
        nearest=turn.nearest,
        found_in=turn.found_in,
        sides=tuple(_side(side, answer) for side in turn.sides),
        memory=MemoryPart(
            role=role,
            pairs=tuple(map(remembered_pair, pairs)),
            differs=turn.recollection.differs if turn.recollection else "",
        ),
        warnings=answer.warnings,
        fallbacks=turn.fallbacks,
        timings=dict(turn.timings),
        model_calls=turn.usage.model_calls,
        prompt_tokens=turn.usage.prompt_tokens,
        completion_tokens=turn.usage.completion_tokens,
        profile=profile,
        seconds=seconds,
        model=model if turn.calls else "",
    )


def trace_of(turn: Turn) -> Trace:
    """The trace of a turn, finished or not."""
    resolution, queries, found = turn.resolution, turn.queries, turn.recollection
    return Trace(
        version=VERSION,
        release=resolution
        and TracedRelease(
            status=resolution.status,
            releases=resolution.releases,
            explanation=resolution.explanation,
        ),
        queries=queries
        and TracedQueries(
            base=queries.base,
            filtered=queries.filtered,
            versionless=queries.versionless,
            subject=queries.subject,
        ),
        memory=TracedMemory(
            afresh=turn.afresh,
            reused=_traced_pair(found.reused) if found and found.reused else None,
            good=tuple(map(_traced_pair, found.good)) if found else (),
            bad=tuple(map(_traced_pair, found.bad)) if found else (),
            differs=found.differs if found else "",
        ),
        retrieved=tuple(map(_chunk, turn.retrieved)),
        reduced=tuple(map(_chunk, turn.reduced)),
        selected=tuple(map(_chunk, turn.selected)),
        temperature=turn.temperature,
        value=turn.answer.value if turn.answer else "",
        unwritten=turn.answer is not None and turn.answer.unwritten,
        calls=tuple(map(_call, turn.calls)) if not turn.sides else (),
        fallbacks=turn.fallbacks,
        timings=dict(turn.timings),
        sides=tuple(map(trace_of, turn.sides)),
    )


def remembered_pair(pair: Remembered) -> RememberedPair:
    """A pair of the memory as a reply tells it."""
    return RememberedPair(
        id=pair.id,
        question=pair.question,
        score=round(pair.score, 4),
        origin=pair.origin,
        rated_by=pair.rated_by if pair.origin != Origin.THUMBS else "",
        rated=pair.rated,
        similarity=round(pair.similarity, 4),
    )


def _traced_pair(pair: Remembered) -> RememberedPair:
    return remembered_pair(pair).model_copy(update={"value": pair.value})


def _side(side: Turn, whole: Answer) -> Side:
    release, own = side.asked[1], side.answer
    return Side(
        release=release,
        status=side.documented,
        answer=own.text if own else "",
        value=own.value if own else "",
        abstained=own is None or own.abstained,
        citations=tuple(i for i, c in enumerate(whole.citations, 1) if c.release == release),
    )


def _chunk(chunk: RetrievedChunk | ReducedChunk) -> TracedChunk:
    page = chunk.page
    return TracedChunk(
        file=page.document.file,
        page=page.number,
        section=" › ".join(page.heading_path),
        score=round(chunk.score, 4),
        kept=tuple(r.quote for r in chunk.records) if isinstance(chunk, ReducedChunk) else (),
    )


def _call(call: ModelCall) -> TracedCall:
    return TracedCall(
        step=call.step,
        prompt=call.prompt,
        reply=call.reply,
        prompt_tokens=call.prompt_tokens,
        cached_tokens=call.cached_tokens,
        completion_tokens=call.completion_tokens,
        seconds=call.seconds,
        first_token=call.first_token,
        problem=call.problem,
    )
