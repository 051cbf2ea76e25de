"""The release a question is about, by rules over the catalog (QAMR III-B, step 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.release_resolution import ReleaseStatus, Resolution, resolve_release
from chatbot.turn import Answer, Route, RuleStep, Turn
from corpora.release import Product


def extract_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Resolve the release; an unknown or ambiguous one becomes a question, never a guess."""

    def extract(turn: Turn) -> Turn:
        resolution = resolve_release(
            turn.question,
            products(),
            product=turn.product,
            release=turn.release,
            history=turn.history,
            conversation_release=turn.conversation_release,
        )
        turn = replace(turn, resolution=resolution)
        if resolution.releases:
            return turn
        return replace(turn, route=Route.CLARIFY, answer=_clarify(resolution))

    return extract


def _clarify(resolution: Resolution) -> Answer:
    available = ", ".join(resolution.available)
    match resolution.status:
        case ReleaseStatus.NONE:
            text = "I don't know: there is no documentation yet. Ingest some with `strata ingest`."
        case ReleaseStatus.AMBIGUOUS if resolution.product is None:
            text = f"Which product do you mean? I have documentation of {available}."
        case ReleaseStatus.AMBIGUOUS:
            text = f"Which release of {resolution.product} do you mean: {available}?"
        case _:
            text = (
                f"I don't know: there is {resolution.explanation} in the documentation. "
                f"There is: {available}."
            )
    return Answer(text, abstained=True)
