"""The reply and the trace of a finished turn."""

from chatbot.memory.prompting import role_of
from chatbot.releases.resolution import ReleaseStatus
from chatbot.reply import (
    VERSION,
    MemoryPart,
    QueryTexts,
    RememberedPair,
    Reply,
    Side,
    Trace,
    TracedChunk,
    TracedMemory,
)
from chatbot.text.languages import gettext, shown_list
from chatbot.text.sanitizer import cautions
from chatbot.turn import Answer, Recollection, ReducedChunk, Remembered, RetrievedChunk, Turn

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)


def reply_of(turn: Turn, profile: str, *, seconds: float | None = None, model: str = "") -> Reply:
    """The reply of an answered turn, which took `seconds`; `model` is the one of the settings.

    Where another one stood in for it, the reply names both.
    """
    resolution, answer = turn.resolved, turn.answer
    if resolution is None or answer is None:
        raise ValueError("the turn is not answered yet")
    stood_in = tuple(dict.fromkeys(call.model for call in turn.calls if call.instead_of))
    if stood_in:
        asked = dict.fromkeys(call.model for call in turn.calls)
        failed = gettext(
            "The language model {model} failed: {others} stood in for it.",
            model=model,
            others=shown_list(stood_in),
        )
        model = ", ".join(asked)
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
        queries=turn.phrased or QueryTexts(base=turn.question),
        citations=answer.citations,
        nearest=turn.nearest,
        found_in=turn.found_in,
        sides=tuple(_side(side, answer, bool(resolution.apart)) for side in turn.sides),
        memory=MemoryPart(
            role=role,
            pairs=tuple(map(remembered_pair, pairs)),
            offers=tuple(
                map(remembered_pair, turn.recollection.offers if turn.recollection else ())
            ),
        ),
        warnings=(*answer.warnings, *cautions(answer.text), *([failed] if stood_in else ())),
        outside=answer.outside,
        fallbacks=turn.fallbacks,
        timings=dict(turn.timings),
        model_calls=len(turn.calls),
        prompt_tokens=sum(call.prompt_tokens for call in turn.calls),
        completion_tokens=sum(call.completion_tokens for call in turn.calls),
        profile=profile,
        seconds=seconds,
        model=model if turn.calls else "",
    )


def trace_of(turn: Turn) -> Trace:
    """The trace of a turn, finished or not."""
    memory = TracedMemory.model_validate(turn.recollection or Recollection())
    answer = turn.answer or Answer("", abstained=True)
    return Trace(
        version=VERSION,
        release=turn.resolved,
        queries=turn.phrased,
        memory=memory.model_copy(update={"afresh": turn.afresh}),
        retrieved=tuple(map(_chunk, turn.retrieved)),
        reduced=tuple(map(_chunk, turn.reduced)),
        selected=tuple(map(_chunk, turn.selected)),
        temperature=turn.temperature,
        value=answer.value,
        unwritten=answer.unwritten,
        refusal=answer.refusal,
        calls=turn.calls if not turn.sides else (),
        fallbacks=turn.fallbacks,
        timings=dict(turn.timings),
        sides=tuple(map(trace_of, turn.sides)),
    )


def remembered_pair(pair: Remembered) -> RememberedPair:
    """A saved answer as part of a reply."""
    return RememberedPair.model_validate(pair).model_copy(update={"value": ""})


def _side(side: Turn, whole: Answer, is_of_several: bool) -> Side:
    own = side.answer
    return Side(
        release=" ".join(side.target) if is_of_several else side.target[1],
        status=side.documented,
        answer=own.text if own else "",
        value=own.value if own else "",
        abstained=own is None or own.abstained,
        citations=tuple(i for i, c in enumerate(whole.citations, 1) if c.is_from(*side.target)),
    )


def _chunk(chunk: RetrievedChunk | ReducedChunk) -> TracedChunk:
    page = chunk.page
    return TracedChunk(
        file=page.document.file,
        page=page.number,
        section=" › ".join(page.heading_path),
        score=chunk.score,
        kept=tuple(r.quote for r in chunk.records) if isinstance(chunk, ReducedChunk) else (),
    )
