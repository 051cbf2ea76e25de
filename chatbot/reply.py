"""A finished turn as the object that `strata ask --json` prints (design, Commands)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from chatbot.release_resolution import ReleaseStatus
from chatbot.turn import Answer, Citation, Turn


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
        "sides": [_side_object(side, answer) for side in turn.sides],
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
