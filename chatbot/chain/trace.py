"""A finished turn step by step as JSON: what was asked, found, kept, sent and answered."""

from __future__ import annotations

from typing import Any

from chatbot.chain.reply import remembered_object
from chatbot.turn import ModelCall, ReducedChunk, Remembered, RetrievedChunk, Turn


def trace_object(turn: Turn) -> dict[str, Any]:
    """The trace of a turn; of a comparison `sides` holds one for every release."""
    resolution, queries = turn.resolution, turn.queries
    return {
        "release": resolution
        and {
            "status": str(resolution.status),
            "releases": list(resolution.releases),
            "explanation": resolution.explanation,
        },
        "queries": queries
        and {
            "base": queries.base,
            "filtered": queries.filtered,
            "versionless": queries.versionless,
            "subject": queries.subject,
        },
        "memory": _memory(turn),
        "retrieved": [_chunk(chunk) for chunk in turn.retrieved],
        "reduced": [_reduced(chunk) for chunk in turn.reduced],
        "selected": [_reduced(chunk) for chunk in turn.selected],
        "temperature": turn.temperature,
        "value": turn.answer.value if turn.answer else "",
        "unwritten": turn.answer is not None and turn.answer.unwritten,
        "calls": [_call(call) for call in turn.calls] if not turn.sides else [],
        "fallbacks": [{"step": f.step, "reason": f.reason} for f in turn.fallbacks],
        "timings": dict(turn.timings),
        "sides": [trace_object(side) for side in turn.sides],
    }


def _memory(turn: Turn) -> dict[str, Any]:
    """What the memory had on the question, whether or not it was of use."""
    found = turn.recollection
    return {
        "afresh": turn.afresh,
        "reused": _remembered(found.reused) if found and found.reused else None,
        "good": [_remembered(pair) for pair in found.good] if found else [],
        "bad": [_remembered(pair) for pair in found.bad] if found else [],
        "differs": found.differs if found else "",
    }


def _remembered(pair: Remembered) -> dict[str, Any]:
    return {**remembered_object(pair), "value": pair.value}


def _chunk(chunk: RetrievedChunk | ReducedChunk) -> dict[str, Any]:
    page = chunk.page
    return {
        "file": page.document.file,
        "page": page.number,
        "section": " › ".join(page.heading_path),
        "score": round(chunk.score, 4),
    }


def _reduced(chunk: ReducedChunk) -> dict[str, Any]:
    return {**_chunk(chunk), "kept": [record.quote for record in chunk.records]}


def _call(call: ModelCall) -> dict[str, Any]:
    return {
        "step": call.step,
        "prompt": [list(message) for message in call.prompt],
        "reply": call.reply,
        "prompt_tokens": call.prompt_tokens,
        "cached_tokens": call.cached_tokens,
        "completion_tokens": call.completion_tokens,
        "seconds": call.seconds,
        "first_token": call.first_token,
        "problem": call.problem,
    }
