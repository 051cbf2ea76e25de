"""The release a question is about, by rules over the catalog (QAMR III-B, step 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.clarification import ask_back
from chatbot.release_resolution.turns import resolve_turn
from chatbot.turn import Route, RuleStep, Turn
from corpora.release import Product


def extract_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Resolve the release; an unknown or ambiguous one becomes a question, never a guess.

    A turn whose release is known by an earlier step keeps it.
    """

    def extract(turn: Turn) -> Turn:
        if turn.resolution is not None:
            return turn
        known = products()
        resolution = resolve_turn(turn, known)
        turn = replace(turn, resolution=resolution)
        if resolution.releases:
            return turn
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))

    return extract
