"""A reply that only chooses a product or a release goes on with the question before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chatbot.queries.clarification import continued
from chatbot.turn import RuleStep, Turn
from corpora.catalog.release import Product


def take_up_question(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Ask the question that a clarification was about, with the choice that the reply makes.

    The conversation is told without its clarifications from here on; what is kept of it stays as
    it was typed.
    """

    def take_up(turn: Turn) -> Turn:
        return continued(turn, products()) if turn.history else turn

    return take_up
