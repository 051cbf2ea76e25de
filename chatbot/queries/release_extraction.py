"""Step 1 of QAMR III-B: the release that a question is about, by rules; what is open is asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.queries.asking_back import ask_back, resolve_turn
from chatbot.turn import Route, RuleStep, Turn
from corpora.catalog.release import Product


def extract_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Resolve the release; an unknown or ambiguous one becomes a question, never a guess.

    What an earlier step has resolved is not resolved again.
    """

    def extract(turn: Turn) -> Turn:
        known = products()
        resolution = turn.resolution or resolve_turn(turn, known)
        turn = replace(turn, resolution=resolution)
        if resolution.releases:
            return turn
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))

    return extract
