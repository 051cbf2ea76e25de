"""A finished turn step by step as JSON: what was asked, found, kept, sent and answered."""

from __future__ import annotations

from typing import Any

from chatbot.turn import ModelCall, ReducedChunk, RetrievedChunk, Turn


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
        "retrieved": [_chunk(chunk) for chunk in turn.retrieved],
        "reduced": [_reduced(chunk) for chunk in turn.reduced],
        "selected": [_reduced(chunk) for chunk in turn.selected],
        "calls": [_call(call) for call in turn.calls] if not turn.sides else [],
        "fallbacks": [{"step": f.step, "reason": f.reason} for f in turn.fallbacks],
        "timings": dict(turn.timings),
        "sides": [trace_object(side) for side in turn.sides],
    }


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
