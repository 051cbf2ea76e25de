"""A finished turn as the object that `strata ask --json` prints (design, Commands)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from chatbot.memory.pairs import Origin
from chatbot.memory.uses import role_of
from chatbot.releases.resolution import ReleaseStatus
from chatbot.turn import Answer, Citation, Remembered, Turn


def reply_object(turn: Turn, profile: str) -> dict[str, Any]:
    """The JSON object of an answered turn; `release` is null unless there is exactly one."""
    resolution, answer, queries = turn.resolution, turn.answer, turn.queries
    if resolution is None or answer is None:
        raise ValueError("the turn is not answered yet")
    single = len(resolution.releases) == 1
    return {
        "answer": answer.text,
        "abstained": answer.abstained,
        "product": resolution.product,
        "release": resolution.releases[0] if single else None,
        "release_status": str(resolution.status),
        "release_explanation": resolution.explanation,
        "compared_releases": [] if single else list(resolution.releases),
        "available_releases": (
            list(resolution.available)
            if resolution.status in (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)
            else []
        ),
        "route": str(turn.route),
        "queries": {
            "base": queries.base if queries else turn.question,
            "filtered": queries.filtered if queries else None,
            "versionless": queries.versionless if queries else None,
        },
        "citations": [citation_object(c) for c in answer.citations],
        "nearest": [citation_object(c) for c in turn.nearest],
        "found_in": list(turn.found_in),
        "sides": [_side_object(side, answer) for side in turn.sides],
        "memory": _memory_object(turn),
        "warnings": list(answer.warnings),
        "fallbacks": [asdict(fallback) for fallback in turn.fallbacks],
        "timings": dict(turn.timings),
        "model_calls": turn.usage.model_calls,
        "prompt_tokens": turn.usage.prompt_tokens,
        "completion_tokens": turn.usage.completion_tokens,
        "profile": profile,
    }


def _side_object(side: Turn, whole: Answer) -> dict[str, Any]:
    """One release of a comparison; `citations` are numbers of the whole answer's, from 1."""
    release, own = side.asked[1], side.answer
    return {
        "release": release,
        "status": str(side.documented) if side.documented else None,
        "answer": own.text if own else "",
        "value": own.value if own else "",
        "abstained": own is None or own.abstained,
        "citations": [i for i, c in enumerate(whole.citations, 1) if c.release == release],
    }


def citation_object(citation: Citation) -> dict[str, Any]:
    """A citation as JSON, with the id of the page that shows it."""
    return asdict(citation)


def remembered_object(pair: Remembered) -> dict[str, Any]:
    """A question that was answered before: how good its answer is, who says so, and how near.

    An admin who rated it is named; whoever gave it a thumb is not, since others read this.
    """
    return {
        "id": pair.id,
        "question": pair.question,
        "score": round(pair.score, 4),
        "origin": pair.origin,
        "rated_by": pair.rated_by if pair.origin != Origin.THUMBS else "",
        "rated": pair.rated.isoformat(),
        "similarity": round(pair.similarity, 4),
    }


def _memory_object(turn: Turn) -> dict[str, Any]:
    """What the memory did: `role` is reuse, reference, avoid or null, with the pairs it is of."""
    role, pairs = role_of(turn)
    return {
        "role": str(role) if role else None,
        "pairs": [remembered_object(pair) for pair in pairs],
        "differs": turn.recollection.differs if turn.recollection else "",
    }
